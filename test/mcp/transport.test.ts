import { expect } from 'chai';
import { mcpPath, protectedResourcePath } from '../../src/contract/mcp.ts';
import { type Cluster, sharedCluster, startCluster } from '../world/nodes.ts';
import { type Answer, type Loose, type Person, request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';
import { Assistant } from './assistant.ts';

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'curl', version: '1' } },
};
const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };

describe('the transport of the Model Context Protocol', () => {
  let here: World;
  let cluster: Cluster;

  before(async () => {
    cluster = await sharedCluster();
    here = await world();
  });
  after(() => here.close());

  const sessionOf = async (person: Person): Promise<string> => {
    const { headers } = await person.post(mcpPath, hello);
    return headers.get('mcp-session-id') ?? '';
  };
  const code = ({ status, body }: Answer) => [status, body.error?.data?.code];

  it('says without a valid token where to get one', async () => {
    const { node } = here.alice;
    for (const method of ['POST', 'GET', 'DELETE']) {
      for (const [token, expected] of [
        ['', 'AUTH_TOKEN_MISSING'],
        ['x.y.z', 'ACCESS_TOKEN_INVALID'],
        ['pat_x', 'PAT_TOKEN_INVALID'],
      ]) {
        const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
        const answer = await request(node, method, mcpPath, method === 'POST' ? hello : undefined, headers);
        expect(code(answer)).to.deep.equal([401, expected]);
        expect(answer.body).to.include({ jsonrpc: '2.0', id: null });
        const challenge = `Bearer resource_metadata="${node.url}${protectedResourcePath}"`;
        expect(answer.headers.get('www-authenticate')).to.equal(challenge);
      }
    }
    // Where there are no such clients, nothing is said to them.
    expect((await request(node, 'GET', '/api/servers')).headers.get('www-authenticate')).to.equal(null);
  });

  it('answers in JSON, whatever the client says that it accepts, in the version that it asks for', async () => {
    const { alice } = here;
    for (const accept of ['*/*', 'application/json', 'application/json, text/event-stream']) {
      const { status, body, headers } = await alice.post(mcpPath, hello, { accept });
      expect(status).to.equal(200);
      expect(headers.get('content-type')).to.contain('application/json');
      expect(body.result).to.deep.include({ protocolVersion: '2025-06-18' });
      expect(body.result.serverInfo.name).to.equal('parley');
      expect(body.result.capabilities).to.deep.equal({ tools: {}, resources: { subscribe: true } });
    }
    const old = { ...hello, params: { ...hello.params, protocolVersion: '2024-11-05' } };
    expect((await alice.post(mcpPath, old)).body.result.protocolVersion).to.equal('2024-11-05');
    const { status } = await alice.post(mcpPath, { jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(status).to.equal(202);
  });

  it('takes one message at a time, and tells what is none', async () => {
    const { alice } = here;
    for (const bad of [[list], {}, { jsonrpc: '1.0', id: 1, method: 'ping' }, { jsonrpc: '2.0', id: 1 }, 'x']) {
      expect(code(await alice.post(mcpPath, bad))[0], JSON.stringify(bad)).to.equal(400);
    }
    const broken = await alice.post(mcpPath, '{');
    expect([broken.status, broken.body.error.code]).to.deep.equal([400, -32_700]);
    const unknown = await alice.post(mcpPath, { jsonrpc: '2.0', id: 3, method: 'nothing/there' });
    expect([unknown.status, unknown.body.error.code, unknown.body.id]).to.deep.equal([200, -32_601, 3]);
    const version = await alice.post(mcpPath, list, { 'mcp-protocol-version': '1999-01-01' });
    expect(code(version)).to.deep.equal([400, 'VALIDATION_FAILED']);
    const method = await alice.put(mcpPath, list);
    expect(code(method)).to.deep.equal([405, 'METHOD_NOT_ALLOWED']);
  });

  it('needs no session for anything but subscriptions', async () => {
    const { alice } = here;
    for (const node of cluster.nodes) {
      const { body } = await alice.on(node).post(mcpPath, list);
      expect(body.result.tools).to.be.an('array').and.not.empty;
    }
    const uri = `parley://channels/${here.channel.id}`;
    const subscribe = { jsonrpc: '2.0', id: 4, method: 'resources/subscribe', params: { uri } };
    expect((await alice.post(mcpPath, subscribe)).body.error.code).to.equal(-32_600);
    expect(code(await alice.get(mcpPath))).to.deep.equal([400, 'VALIDATION_FAILED']);
  });

  it('knows a session on every node, for its user alone', async () => {
    const { alice, bob } = here;
    const id = await sessionOf(alice);
    expect(id).to.match(/^[\x21-\x7e]+$/);
    const headers = { 'mcp-session-id': id };
    for (const node of cluster.nodes) expect((await alice.on(node).post(mcpPath, list, headers)).status).to.equal(200);
    expect(code(await bob.post(mcpPath, list, headers))).to.deep.equal([404, 'MCP_SESSION_NOT_FOUND']);
    expect(code(await bob.get(mcpPath, headers))).to.deep.equal([404, 'MCP_SESSION_NOT_FOUND']);
    expect(code(await bob.delete(mcpPath, headers))).to.deep.equal([404, 'MCP_SESSION_NOT_FOUND']);
    for (const forged of ['x', '.', `${crypto.randomUUID()}.${id.split('.')[1]}`, `${id}x`]) {
      const answer = await alice.post(mcpPath, list, { 'mcp-session-id': forged });
      expect(code(answer), forged).to.deep.equal([404, 'MCP_SESSION_NOT_FOUND']);
    }
  });

  it('keeps nothing of sessions that subscribe to nothing, and ends the others', async () => {
    const person = await register(here.alice.node);
    const server = (await person.post('/api/servers', { name: 'Own' })).body;
    const [channel]: Loose[] = (await person.get(`/api/servers/${server.id}/channels`)).body;
    const kept = () =>
      query(cluster.databaseUrl, 'SELECT channel_id FROM mcp_subscriptions WHERE user_id = $1', [person.id]);
    const assistant = await Assistant.connect({ token: person.token, nodes: cluster.nodes });
    await assistant.use('list_servers');
    expect(await kept()).to.deep.equal([]);
    await assistant.client.subscribeResource({ uri: `parley://channels/${channel.id}` });
    expect(await kept()).to.deep.equal([{ channel_id: channel.id }]);
    await assistant.transport.terminateSession();
    expect(await kept()).to.deep.equal([]);
    await assistant.close();
  });

  it('admits pages of the origins that are set, and of the site', async () => {
    const home = 'https://app.example';
    const closed = await startCluster({ nodes: 1, settings: { corsOrigins: [home] } });
    try {
      const person = await register(closed.nodes[0] ?? here.alice.node);
      const from = (origin: string) => person.post(mcpPath, list, { origin });
      expect((await from(home)).status).to.equal(200);
      expect((await from(person.node.url)).status).to.equal(200);
      for (const origin of ['https://evil.example', 'null'])
        expect(code(await from(origin))).to.deep.equal([403, 'FORBIDDEN']);
      const { headers } = await person.post(mcpPath, hello, { origin: home });
      expect(headers.get('access-control-expose-headers')?.toLowerCase()).to.contain('mcp-session-id');
    } finally {
      await closed.stop();
    }
  });
});
