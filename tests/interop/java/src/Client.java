import agent.v1.AgentServiceOuterClass.GetAgentRequest;
import agent.v1.AgentServiceOuterClass.GetAgentResponse;
import agent.v1.AgentServiceOuterClass.ListMailRequest;
import agent.v1.AgentServiceOuterClass.ListMailResponse;
import agent.v1.AgentServiceOuterClass.ReadMailRequest;
import agent.v1.AgentServiceOuterClass.ReadMailResponse;
import agent.v1.AgentServiceOuterClass.SendMailRequest;
import agent.v1.AgentServiceOuterClass.SendMailResponse;
import com.google.protobuf.Any;
import com.google.protobuf.Message;
import com.google.rpc.ErrorInfo;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;

/** Sends, lists, reads, fails and watches. Takes HOST:PORT and the id of an agent. */
public final class Client {
  public static void main(String[] arguments) throws Exception {
    ManagedChannel channel =
        Grpc.newChannelBuilder(arguments[0], InsecureChannelCredentials.create()).build();
    try {
      run(channel, arguments[1]);
    } finally {
      channel.shutdownNow();
    }
  }

  private static void run(ManagedChannel channel, String agent) throws Exception {
    SendMailRequest mail =
        SendMailRequest.newBuilder().setTo(agent).setBody("from grpc-java").build();
    SendMailResponse sent = call(channel, "SendMail", mail, SendMailResponse.getDefaultInstance());
    System.out.println("send " + sent.getMail().getId());

    Metadata caller = new Metadata();
    caller.put(Metadata.Key.of("postroom-agent-id", Metadata.ASCII_STRING_MARSHALLER), agent);
    Channel own =
        ClientInterceptors.intercept(
            channel, MetadataUtils.newAttachHeadersInterceptor(caller));
    ListMailResponse listed =
        call(own, "ListMail", ListMailRequest.getDefaultInstance(), ListMailResponse.getDefaultInstance());
    System.out.println("list " + listed.getMailCount());
    ReadMailResponse read =
        call(own, "ReadMail", ReadMailRequest.getDefaultInstance(), ReadMailResponse.getDefaultInstance());
    System.out.println("read " + read.getMail(0).getBody());
    fail(channel);
    System.out.println("stream " + HealthGrpc.newBlockingStub(channel)
        .watch(HealthCheckRequest.getDefaultInstance()).next().getStatus());
  }

  private static void fail(Channel channel) throws Exception {
    GetAgentRequest nobody = GetAgentRequest.newBuilder().setId("nobody").build();
    try {
      call(channel, "GetAgent", nobody, GetAgentResponse.getDefaultInstance());
    } catch (StatusRuntimeException error) {
      for (Any detail : StatusProto.fromThrowable(error).getDetailsList()) {
        if (detail.is(ErrorInfo.class)) {
          String reason = detail.unpack(ErrorInfo.class).getReason();
          System.out.println("error " + error.getStatus().getCode() + " " + reason);
        }
      }
    }
  }

  /** Calls by descriptor: the code generator of grpc-java is not needed for that. */
  @SuppressWarnings("unchecked")
  private static <Q extends Message, R extends Message> R call(
      Channel channel, String name, Q request, R response) {
    MethodDescriptor<Q, R> method =
        MethodDescriptor.<Q, R>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("agent.v1.AgentService/" + name)
            .setRequestMarshaller(ProtoUtils.marshaller((Q) request.getDefaultInstanceForType()))
            .setResponseMarshaller(ProtoUtils.marshaller(response))
            .build();
    return ClientCalls.blockingUnaryCall(channel, method, CallOptions.DEFAULT, request);
  }
}
