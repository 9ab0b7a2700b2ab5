// Prints, as one line of JSON, what the TypeScript SDK sees of a server. The SDK checks every
// structured answer against the tool's output schema and throws when it does not fit.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [kind, url, agent, python, calls] = process.argv.slice(2);

function transport() {
  if (kind === "http") {
    const headers = { "postroom-agent-id": agent };
    return new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } });
  }
  const env = { ...process.env, POSTROOM_URL: url, POSTROOM_AGENT_ID: agent };
  return new StdioClientTransport({ command: python, args: ["-m", "postroom", "mcp"], env });
}

async function answer(client, name, args) {
  try {
    const result = await client.callTool({ name, arguments: args });
    return { isError: !!result.isError, value: result.structuredContent };
  } catch (error) {
    return { thrown: error.code };
  }
}

const client = new Client({ name: "interop", version: "1" }, {});
await client.connect(transport());
const tools = (await client.listTools()).tools.map((tool) => tool.name);
const answers = [];
for (const [name, args] of JSON.parse(calls)) answers.push(await answer(client, name, args));
console.log(JSON.stringify({ tools, answers, instructions: client.getInstructions() }));
await client.close();
