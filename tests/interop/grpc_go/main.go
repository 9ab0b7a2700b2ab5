// Sends, lists, reads, fails and watches with grpc-go. Takes HOST:PORT and the id of an agent.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "interop/grpc_go/pb"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	plain := grpc.WithTransportCredentials(insecure.NewCredentials())
	connection, err := grpc.NewClient(os.Args[1], plain)
	if err != nil {
		log.Fatal(err)
	}
	if err := run(ctx, connection, os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, connection *grpc.ClientConn, agent string) error {
	client := pb.NewAgentServiceClient(connection)
	sent, err := client.SendMail(ctx, &pb.SendMailRequest{To: agent, Body: "from grpc-go"})
	if err != nil {
		return err
	}
	fmt.Println("send", sent.GetMail().GetId())
	own := metadata.AppendToOutgoingContext(ctx, "postroom-agent-id", agent)
	listed, err := client.ListMail(own, &pb.ListMailRequest{})
	if err != nil {
		return err
	}
	fmt.Println("list", len(listed.GetMail()))
	read, err := client.ReadMail(own, &pb.ReadMailRequest{})
	if err != nil {
		return err
	}
	fmt.Println("read", read.GetMail()[0].GetBody())
	_, err = client.GetAgent(ctx, &pb.GetAgentRequest{Id: "nobody"})
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok {
			fmt.Println("error", status.Code(err), info.GetReason())
		}
	}
	watching, err := grpc_health_v1.NewHealthClient(connection).Watch(ctx, &grpc_health_v1.HealthCheckRequest{})
	if err != nil {
		return err
	}
	first, err := watching.Recv()
	if err != nil {
		return err
	}
	fmt.Println("stream", first.GetStatus())
	return nil
}
