// Sends, lists, reads and fails with connect-go, once by gRPC and once by Connect.
// Takes "grpc" or "connect", the URL of the server, and the id of an agent.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	health "google.golang.org/grpc/health/grpc_health_v1"

	pb "interop/connect_go/pb"
	"interop/connect_go/pb/pbconnect"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := run(ctx, os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, kind, url, agent string) error {
	web, options := http.DefaultClient, []connect.ClientOption{connect.WithHTTPGet()}
	if kind == "grpc" {
		protocols := new(http.Protocols)
		protocols.SetUnencryptedHTTP2(true)
		web = &http.Client{Transport: &http.Transport{Protocols: protocols}}
		options = []connect.ClientOption{connect.WithGRPC()}
	}
	client := pbconnect.NewAgentServiceClient(web, url, options...)
	sent, err := client.SendMail(ctx, connect.NewRequest(&pb.SendMailRequest{To: agent, Body: "from connect-go"}))
	if err != nil {
		return err
	}
	fmt.Println("send", sent.Msg.GetMail().GetId())
	list := connect.NewRequest(&pb.ListMailRequest{})
	list.Header().Set("Postroom-Agent-Id", agent)
	listed, err := client.ListMail(ctx, list)
	if err != nil {
		return err
	}
	fmt.Println("list", len(listed.Msg.GetMail()))
	take := connect.NewRequest(&pb.ReadMailRequest{})
	take.Header().Set("Postroom-Agent-Id", agent)
	read, err := client.ReadMail(ctx, take)
	if err != nil {
		return err
	}
	fmt.Println("read", read.Msg.GetMail()[0].GetBody())
	_, err = client.GetAgent(ctx, connect.NewRequest(&pb.GetAgentRequest{Id: "nobody"}))
	tell(err)
	return watch(ctx, web, url, options)
}

func tell(err error) {
	var failed *connect.Error
	if !errors.As(err, &failed) {
		return
	}
	for _, detail := range failed.Details() {
		value, err := detail.Value()
		if err != nil {
			continue
		}
		if info, ok := value.(*errdetails.ErrorInfo); ok {
			fmt.Println("error", failed.Code(), info.GetReason())
		}
	}
}

// Streams are served by gRPC alone; the other answer is told as it is.
func watch(ctx context.Context, web *http.Client, url string, options []connect.ClientOption) error {
	client := connect.NewClient[health.HealthCheckRequest, health.HealthCheckResponse](
		web, url+"/grpc.health.v1.Health/Watch", options...)
	stream, err := client.CallServerStream(ctx, connect.NewRequest(&health.HealthCheckRequest{}))
	if err != nil {
		return err
	}
	if stream.Receive() {
		fmt.Println("stream", stream.Msg().GetStatus())
		return nil
	}
	fmt.Println("stream", connect.CodeOf(stream.Err()))
	return nil
}
