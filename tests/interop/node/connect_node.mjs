// Sends, lists, reads, fails and watches with connect-node, by gRPC or by Connect.
// Takes "grpc", "json" or "proto", the URL of the server, and the id of an agent.
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";

import { AgentService } from "./pb/agent/v1/agent_service_pb.js";
import { ErrorInfoSchema } from "./pb/google/rpc/error_details_pb.js";
import { Health, HealthCheckRequestSchema, HealthCheckResponse_ServingStatus } from "./pb/grpc_health/v1/health_pb.js";

const [kind, baseUrl, agent] = process.argv.slice(2);
const web = { baseUrl, httpVersion: "1.1", useHttpGet: true, useBinaryFormat: kind === "proto" };
const transport = kind === "grpc" ? createGrpcTransport({ baseUrl }) : createConnectTransport(web);
const client = createClient(AgentService, transport);
const limited = { timeoutMs: 30_000 };
const own = { ...limited, headers: { "postroom-agent-id": agent } };

const sent = await client.sendMail({ to: agent, body: "from connect-node" }, limited);
console.log("send", sent.mail.id);
const listed = await client.listMail({}, own);
console.log("list", listed.mail.length);
const read = await client.readMail({}, own);
console.log("read", read.mail[0].body);
try {
  await client.getAgent({ id: "nobody" }, limited);
} catch (error) {
  const [info] = error.findDetails(ErrorInfoSchema);
  console.log("error", Code[error.code], info.reason);
}
console.log("stream", await watched());

// Streams are served by gRPC alone; the other answer is told as it is.
async function watched() {
  const asked = create(HealthCheckRequestSchema);
  try {
    for await (const answer of createClient(Health, transport).watch(asked, limited)) {
      return HealthCheckResponse_ServingStatus[answer.status];
    }
  } catch (error) {
    return Code[ConnectError.from(error).code];
  }
}

// The watch that was left would keep the program waiting.
process.exit(0);
