// Sends, lists, reads, fails and asks for reflection with grpc-js.
// Takes HOST:PORT, the id of an agent, and the folders of the protos.
import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";
import reflection from "grpc-js-reflection-client";

const [target, agent, ...includeDirs] = process.argv.slice(2);
const load = { includeDirs, keepCase: false, longs: String, enums: String };
const files = ["agent/v1/agent_service.proto", "google/rpc/error_details.proto", "google/rpc/status.proto"];
const definitions = loader.loadSync(files, load);
const protos = grpc.loadPackageDefinition(definitions);
const plain = grpc.credentials.createInsecure();
const client = new protos.agent.v1.AgentService(target, plain);

function call(method, request, caller) {
  const metadata = new grpc.Metadata();
  if (caller) metadata.set("postroom-agent-id", caller);
  return new Promise((resolve, reject) => {
    client[method](request, metadata, { deadline: Date.now() + 30_000 }, (error, answer) =>
      error ? reject(error) : resolve(answer),
    );
  });
}

const sent = await call("sendMail", { to: agent, body: "from grpc-js" });
console.log("send", sent.mail.id);
const listed = await call("listMail", {}, agent);
console.log("list", listed.mail.length);
const read = await call("readMail", {}, agent);
console.log("read", read.mail[0].body);
try {
  await call("getAgent", { id: "nobody" });
} catch (error) {
  const [raw] = error.metadata.get("grpc-status-details-bin");
  console.log("error", grpc.status[error.code], reasonOf(raw));
}
const services = await new reflection.GrpcReflection(target, plain).listServices();
console.log("stream", services.includes("agent.v1.AgentService") ? "reflection" : services);
client.close();

// The details are a google.rpc.Status with an Any for each.
function reasonOf(raw) {
  for (const detail of definitions["google.rpc.Status"].deserialize(raw).details) {
    if (detail.type_url.endsWith("/google.rpc.ErrorInfo")) {
      return definitions["google.rpc.ErrorInfo"].deserialize(detail.value).reason;
    }
  }
  return "";
}
