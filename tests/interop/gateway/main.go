// The real grpc-gateway with its default options, in front of a gRPC server.
//
// It prints the address that it listens on, and ends when its standard input does.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	// Details of errors can be printed only when their types are linked.
	_ "google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

type register func(context.Context, *runtime.ServeMux, string, []grpc.DialOption) error

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "address to listen on")
	backend := flag.String("backend", "", "address of the gRPC server")
	flag.Parse()
	if err := serve(*listen, *backend); err != nil {
		log.Fatal(err)
	}
}

func serve(listen, backend string) error {
	mux := runtime.NewServeMux()
	plain := []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}
	for _, add := range services {
		if err := add(context.Background(), mux, backend, plain); err != nil {
			return err
		}
	}
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 30 * time.Second}
	return server.Serve(listener)
}
