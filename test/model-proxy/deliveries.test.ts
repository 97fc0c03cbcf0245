// nodes: one and two

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Bot, bot, botIn } from '../world/bot.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Answer, type Loose, request } from '../world/person.ts';
import { type World, world } from '../world/world.ts';
import { counts, delta, json, type Provider, provider, stream } from './provider.ts';

const messages = [{ role: 'user', content: 'Why is the sky blue?' }];

describe('answers of models that are delivered', () => {
  let models: Provider;
  let cluster: Cluster;
  let here: World;
  let robot: Bot;

  before(async () => {
    models = await provider();
    cluster = await startCluster({
      settings: {
        modelUpstream: { url: models.url, key: 'the-key', models: ['small'] },
        modelProxy: { answerTimeoutMs: 20_000, idleTimeoutMs: 20_000, maxAnswerBytes: 100_000 },
        agents: { tokenOverlapSeconds: 1 },
      },
    });
    here = await world(cluster);
    robot = await botIn(here.server, here.alice);
  });
  after(async () => {
    here.close();
    robot.hangUp();
    await cluster.stop();
    await models.close();
  });

  const ask = (deliver: object | null, key = robot.token): Promise<Answer> =>
    request(
      robot.node,
      'POST',
      '/api/ai/v1/chat/completions',
      { model: 'small', messages, ...(deliver ? { deliver: { channelId: here.channel.id, ...deliver } } : {}) },
      { authorization: `Bearer ${key}` },
    );

  it('are shown as they come, and become one message, which the caller gets with the whole', async () => {
    const ear = await here.bob.listen(here.channel.id);
    const question = await here.bob.say(here.channel.id, 'why?');
    let goOn = () => {};
    models.behave(async (response) => {
      const say = stream(response);
      say(delta('Because '));
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      say(delta('of the light.'));
      say(counts(7, 3));
      say('[DONE]');
      response.end();
    });
    const asked = ask({ replyToId: question.id, streamId: 'sky' });
    await ear.next('message:stream', (piece) => piece.delta === 'Because ' && piece.streamId === 'sky');
    goOn();
    const { status, body } = await asked;
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.choices[0].message).to.deep.equal({ role: 'assistant', content: 'Because of the light.' });
    expect(body.usage).to.deep.equal({ prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 });
    const message = await ear.next('message:new', ({ authorId }) => authorId === robot.id);
    expect(message).to.include({ content: 'Because of the light.', replyToId: question.id });
    expect(body.delivered).to.include({ channelId: here.channel.id, streamId: 'sky' });
    expect(body.delivered.message.id).to.equal(message.id);
    const upstream: Loose = models.asked.at(-1)?.body;
    expect(upstream).to.include({ model: 'small', stream: true });
    expect(upstream).not.to.have.property('deliver');
    const usage = (await here.alice.get('/api/ai/usage')).body.total;
    expect(usage).to.include({ promptTokens: 7, completionTokens: 3 });
  });

  it('end, and with them the work of the provider, when someone stops them', async () => {
    const ear = await here.bob.listen(here.channel.id);
    const { abandoned } = models;
    models.behave((response) => {
      stream(response)(delta('Well, '));
    });
    const asked = ask({ streamId: 'long' });
    await ear.next('message:stream', (piece) => piece.delta === 'Well, ');
    const path = `/api/channels/${here.channel.id}/streams/stop`;
    expect((await here.bob.post(path, { userId: robot.id, streamId: 'long' })).status).to.equal(200);
    const { status, body } = await asked;
    expect([status, body.error.code]).to.deep.equal([409, 'STREAM_STOPPED']);
    await until(() => models.abandoned > abandoned, { message: 'the provider goes on' });
    const message = await ear.next('message:new', ({ authorId }) => authorId === robot.id);
    expect([message.content, message.metadata]).to.deep.equal(['Well, ', { stream: 'stopped' }]);
  });

  it('that break keep what there is, and say so', async () => {
    const ear = await here.bob.listen(here.channel.id);
    models.behave((response) => {
      stream(response)(delta('Half of '));
      setImmediate(() => response.destroy());
    });
    const { status } = await ask({ streamId: 'half' });
    expect(status).to.equal(502);
    const message = await ear.next('message:new', ({ authorId }) => authorId === robot.id);
    expect([message.content, message.metadata]).to.deep.equal(['Half of ', { stream: 'cut' }]);
    models.behave((response) => json(response, { error: { message: 'no' } }, 400));
    expect((await ask({ streamId: 'never' })).body.error.code).to.equal('MODEL_REQUEST_REFUSED');
    const end = await ear.next('message:stream', (piece) => piece.streamId === 'never' && piece.done);
    expect(end).to.include({ aborted: true, reason: 'cut' });
  });

  /** The model says these things, and then that it is done, unless it is cut off. */
  const says = (parts: object[], isCutOff = false) =>
    models.behave((response) => {
      const say = stream(response);
      for (const part of parts) say(part);
      if (!isCutOff) say('[DONE]');
      response.end();
    });
  const ended = (finish_reason: string) => ({ choices: [{ index: 0, delta: {}, finish_reason }] });
  const aboutCalls = (tool_calls: object[]) => ({ choices: [{ index: 0, delta: { tool_calls } }] });

  it('are cut off where neither their end nor a reason for it came', async () => {
    const ear = await here.bob.listen(here.channel.id);
    says([delta('Half of '), delta('it')], true);
    expect((await ask({ streamId: 'no end' })).body.error.code).to.equal('MODEL_PROXY_UPSTREAM_ERROR');
    const message = await ear.next('message:new', ({ authorId }) => authorId === robot.id);
    expect([message.content, message.metadata]).to.deep.equal(['Half of it', { stream: 'cut' }]);
    says([delta('All of '), delta('it'), ended('stop')], true);
    const { choices, delivered } = (await ask({ streamId: 'a reason' })).body;
    expect([choices[0].finish_reason, delivered.message.content]).to.deep.equal(['stop', 'All of it']);
  });

  it('are given to who has paid for them, also where they are too long for a message, or have no text', async () => {
    const ear = await here.bob.listen(here.channel.id);
    const { abandoned } = models;
    models.behave((response) => {
      const say = stream(response);
      for (let i = 0; i < 17; i++) say(delta(`${'x'.repeat(998)}😀`));
    });
    const long = (await ask({ streamId: 'too long' })).body;
    expect(long.choices[0].finish_reason).to.equal('length');
    expect(long.choices[0].message.content).to.equal(`${'x'.repeat(998)}😀`.repeat(16));
    expect(long.delivered.message.content).to.equal(long.choices[0].message.content);
    await until(() => models.abandoned > abandoned, { message: 'the provider goes on' });
    const id = 'call-1';
    says([
      aboutCalls([{ index: 0, id, type: 'function', function: { name: 'weather', arguments: '' } }]),
      aboutCalls([{ index: 0, function: { arguments: '{"in":' } }]),
      aboutCalls([{ index: 0, function: { arguments: '"Rome"}' } }]),
      ended('tool_calls'),
      counts(5, 2),
    ]);
    const { status, body } = await ask({ streamId: 'no text' });
    expect(status, JSON.stringify(body)).to.equal(200);
    const call = { id, type: 'function', function: { name: 'weather', arguments: '{"in":"Rome"}' } };
    const message = { role: 'assistant', content: null, tool_calls: [call] };
    expect(body.choices).to.deep.equal([{ index: 0, message, finish_reason: 'tool_calls' }]);
    expect([body.delivered.message, body.usage.total_tokens]).to.deep.equal([null, 7]);
    const end = await ear.next('message:stream', (piece) => piece.streamId === 'no text' && piece.done);
    expect(end.aborted).to.equal(true);
  });

  it('have nothing that no message can hold, and nothing of the key', async () => {
    const ear = await here.bob.listen(here.channel.id);
    for (const [parts, content] of [
      [['Zero \0 and ', 'a smile \ud83d', '\ude00', '.'], 'Zero  and a smile 😀.'],
      [['half \ud83d', ' of one'], 'half \ufffd of one'],
      [['it is the', '-k', 'ey, or the', '-kayak'], 'it is [removed], or the-kayak'],
      [['it is th', 'e-key'], 'it is [removed]'],
      [['it is the', '-ke'], 'it is the-ke'],
    ] as const) {
      const streamId = `unfit ${content}`;
      says(parts.map((part) => delta(part)));
      const { status, body } = await ask({ streamId });
      expect([status, body.choices?.[0].message.content], JSON.stringify(body)).to.deep.equal([200, content]);
      expect(body.delivered.message.content).to.equal(content);
      await ear.next('message:stream', (piece) => piece.streamId === streamId && piece.done);
      const ofIt = ear.all('message:stream').filter((piece) => piece.streamId === streamId);
      // Who has just come may get the text so far besides.
      const shown = ofIt.filter((piece) => !piece.done && !piece.soFar);
      expect(shown.map((piece) => piece.delta).join('')).to.equal(content);
    }
    says([aboutCalls([{ index: 0, id: 'x', function: { name: 'f', arguments: 'the-key' } }]), ended('tool_calls')]);
    expect(JSON.stringify((await ask({})).body))
      .to.contain('[removed]')
      .and.not.contain('the-key');
  });

  it('end with the right of their bot to speak, and with them the work of the provider', async () => {
    const { alice, channel, server, bob } = here;
    const ear = await bob.listen(channel.id);
    const ends = {
      AGENT_STOPPED: (it: Bot) => alice.post(`/api/agents/${it.agentId}/stop`),
      ACCESS_TOKEN_INVALID: (it: Bot) => alice.post(`/api/agents/${it.agentId}/token`),
    };
    for (const [code, end] of Object.entries(ends)) {
      const silenced = await botIn(server, alice);
      const { abandoned } = models;
      models.behave((response) => {
        const say = stream(response);
        const going = setInterval(() => say(delta('on and ')), 50);
        response.on('close', () => clearInterval(going));
      });
      const asked = ask({ streamId: code }, silenced.token);
      await ear.next('message:stream', (piece) => piece.streamId === code && piece.delta);
      expect((await end(silenced)).status).to.be.oneOf([200, 201]);
      expect((await asked).body.error?.code).to.equal(code);
      await until(() => models.abandoned > abandoned, { message: 'the provider goes on' });
      await ear.next('message:stream', (piece) => piece.streamId === code && piece.done);
      silenced.hangUp();
    }
  });

  it('are said in the name of bots alone, where these may write, before anybody pays', async () => {
    const before = models.asked.length;
    const mint = async (runtimeId: string) => (await here.alice.post('/api/ai/tokens', { runtimeId })).body.token;
    const stranger = await bot(here.bob);
    const rehearsal = (await here.alice.post(`/api/agents/${robot.agentId}/rehearsals`)).body;
    for (const [deliver, key, status, code] of [
      [null, robot.token, 403, 'FORBIDDEN'],
      [{}, await mint('a runtime'), 403, 'FORBIDDEN'],
      [{}, here.alice.token, 403, 'FORBIDDEN'],
      [{ agentId: stranger.agentId }, here.alice.token, 404, 'AGENT_NOT_FOUND'],
      [{ agentId: stranger.agentId }, robot.token, 403, 'FORBIDDEN'],
      [{}, rehearsal.token, 403, 'INSUFFICIENT_PAT_SCOPE'],
      [{}, stranger.token, 404, 'CHANNEL_NOT_FOUND'],
    ] as const) {
      const { status: got, body } = await ask(deliver, key);
      expect([got, body.error.code], JSON.stringify(deliver)).to.deep.equal([status, code]);
    }
    expect(models.asked).to.have.length(before);
    models.behave((response) => {
      const say = stream(response);
      say(delta('Yes.'));
      say('[DONE]');
      response.end();
    });
    for (const [deliver, key] of [
      [{}, await mint(robot.agentId)],
      [{ agentId: robot.agentId }, here.alice.token],
    ] as const) {
      const { body } = await ask(deliver, key);
      expect(body.delivered?.message.authorId, JSON.stringify(body)).to.equal(robot.id);
    }
  });
});
