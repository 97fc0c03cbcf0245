// nodes: one and two

import { expect } from 'chai';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { request } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

/** The values of a node's metrics by their names with labels. */
async function metricsOf(node: { url: string }): Promise<Map<string, number>> {
  const { status, body } = await request(node, 'GET', '/metrics');
  expect(status).to.equal(200);
  const lines = String(body)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

describe('/metrics', () => {
  let cluster: Cluster;
  let here: World;
  before(async () => {
    cluster = await startCluster();
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  it('counts requests, sends, fan-out, batches, sockets, and what PostgreSQL and Redis do', async () => {
    const { alice, bob, channel } = here;
    const before = await metricsOf(alice.node);
    const [socket, listener] = [await alice.listen(channel.id), await bob.on(alice.node).listen(channel.id)];
    for (let i = 0; i < 3; i++) await alice.say(channel.id, `by REST ${i}`);
    expect((await socket.emit('message:send', { channelId: channel.id, content: 'by socket' })).ok).to.equal(true);
    expect((await socket.emit('message:send', { channelId: channel.id })).ok).to.equal(false);
    await listener.next('message:new', (message) => message.content === 'by socket');
    const after = await metricsOf(alice.node);
    const more = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
    const route = 'method="POST",route="/api/channels/:channelId/messages",status="2xx"';
    expect(more(`parley_http_request_seconds_count{${route}}`)).to.equal(3);
    expect(more('parley_socket_event_seconds_count{event="message:send",outcome="ok"}')).to.equal(1);
    expect(more('parley_socket_event_seconds_count{event="message:send",outcome="refused"}')).to.equal(1);
    expect(more('parley_send_seconds_count')).to.equal(4);
    expect(more('parley_batched_sends_total')).to.equal(4);
    expect(more('parley_deliveries_total')).to.be.at.least(8);
    expect(more('parley_fan_out_sockets_count')).to.be.at.least(4);
    expect(more('parley_database_statement_seconds_count')).to.be.at.least(12);
    expect(more('parley_socket_connections_total')).to.equal(2);
    expect(after.get('parley_sockets')).to.be.at.least(2);
    expect(after.get('parley_redis_reachable')).to.equal(1);
  });

  it('has what the operator asks for, and few series', async () => {
    const metrics = await metricsOf(here.alice.node);
    const names = [...metrics.keys()];
    const wanted = [
      ...['queued_sends', 'sends_failed_total', 'write_batch_size_count', 'log_lag_events', 'gap_repairs_total'],
      ...['sweeps_total', 'replays_total', 'cut_offs_total', 'open_rooms', 'waiting_polls', 'waiting_changes'],
      ...['redis_answer_seconds', 'search_lag_seconds', 'search_indexed_total', 'search_failures_total'],
      ...['database_connections', 'database_idle', 'database_waiting', 'database_statements_failed_total'],
      ...['waiting', 'dead', 'oldest_seconds', 'running', 'done_total', 'failed_total', 'died_total'].map(
        (name) => `jobs_${name}{kind="notification"}`,
      ),
      ...['webhook', 'poll'].flatMap((way) => [`bot_lag_events{way="${way}"}`, `bot_lag_seconds{way="${way}"}`]),
      ...['nodejs_eventloop_lag_seconds', 'nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes'],
    ];
    for (const name of wanted) expect(names, name).to.include(`parley_${name}`);
    // Ids in labels would make a series of each.
    expect(names.filter((name) => /[0-9a-f]{8}-/.test(name))).to.deep.equal([]);
    for (let i = 0; i < 50; i++) await request(here.alice.node, 'GET', `/nowhere/${i}?x=${i}`);
    const later = [...(await metricsOf(here.alice.node)).keys()].filter((name) => name.includes('http_request'));
    expect(later.length - names.filter((name) => name.includes('http_request')).length).to.be.lessThan(20);
  });
});
