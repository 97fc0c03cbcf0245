import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { checkLogs, type Fault } from './faults.ts';
import { Ledger } from './ledger.ts';
import { pollReceiver, type Receiver, rawReceiver, returningReceiver, stockReceiver } from './receivers.ts';
import { request, Sender, ways } from './senders.ts';
import type { Site } from './site.ts';
import { type Kind, kinds, type Track } from './track.ts';

/** How heavy a trial is. */
export interface Load {
  seconds: number;
  channels: number;
  /** Of each kind. */
  receivers: number;
  senders: number;
  /** Between two messages of a sender, in milliseconds. */
  pauseMs: number;
}

interface Person {
  token: string;
}

/** One fault, and everyone who lives through it. */
export interface Trial {
  ledger: Ledger;
  channelIds: string[];
  speakers: Person[];
  listeners: Person[];
  receivers: Receiver[];
}

/** What came of it. */
export interface Outcome {
  fault: string;
  sent: number;
  acknowledged: number;
  /** Sends acknowledged per second. */
  rate: number;
  kinds: Record<Kind, { due: number; got: number }>;
  duplicates: number;
  disordered: number;
  p50: number;
  p99: number;
  slowest: number;
  returns: number;
  recovered: number;
  memory: number;
  broken: string[];
}

/** A healed room may take so long (contract §10.3), and a busy machine a little more. */
const healedMs = 2500;
const settleMs = 15_000;
const channelsEach = 6;

/** Runs one fault and judges it. */
export async function runTrial(site: Site, fault: Fault, load: Load): Promise<Outcome> {
  const trial = await gather(site, load);
  const { ledger } = trial;
  await seatReceivers(site, fault, load, trial);
  const begun = Date.now();
  const senders = startSenders(site, fault, load, trial);
  await fault.run(site, load.seconds * 1000, trial);
  await Promise.all(senders.map((sender) => sender.stop()));
  const seconds = (Date.now() - begun) / 1000;
  await settle(trial);
  for (const receiver of trial.receivers) receiver.stop();
  await ledger.audit(site.postgres.url, trial.channelIds);
  const memory = Math.max(...site.nodes.map((node) => node.memory));
  const outcome = judge(trial, fault, seconds, memory);
  checkLogs(site, ledger);
  return outcome;
}

async function gather(site: Site, load: Load): Promise<Trial> {
  const door = site.door.url;
  const owner = await register(door);
  const server = await create({ url: door, ...owner }, '/api/servers', { name: 'Stress' });
  const people: Person[] = [];
  for (let i = 0; i < load.senders + 4; i++) {
    const person = await register(door);
    await create({ url: door, ...person }, `/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    people.push(person);
  }
  const channelIds: string[] = [];
  for (let i = 0; i < load.channels; i++) {
    const path = `/api/servers/${server.id}/channels`;
    channelIds.push((await create({ url: door, ...owner }, path, { name: `room-${i}` })).id);
  }
  const speakers = people.slice(0, load.senders);
  return { ledger: new Ledger(), channelIds, speakers, listeners: people.slice(load.senders), receivers: [] };
}

async function register(url: string): Promise<Person> {
  const username = `u${randomBytes(6).toString('hex')}`;
  const account = { email: `${username}@example.com`, password: 'correct horse', username };
  const { accessToken } = await create({ url, token: '' }, '/api/auth/register', account);
  return { token: accessToken };
}

async function create(seat: { url: string; token: string }, path: string, body: object) {
  const { status, answer } = await request(seat, 'POST', path, body);
  if (status !== 201 && status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(answer)}`);
  return answer;
}

async function seatReceivers(site: Site, fault: Fault, load: Load, trial: Trial): Promise<void> {
  const { channelIds, listeners, ledger, receivers } = trial;
  const seated: Promise<Receiver>[] = [];
  for (let i = 0; i < load.receivers * kinds.length; i++) {
    const kind = kinds[i % kinds.length] ?? 'raw';
    const node = Math.floor(i / kinds.length) % site.nodes.length;
    const token = listeners[i % listeners.length]?.token ?? '';
    const ids = channelIds.filter((_, c) => (c + i) % channelIds.length < channelsEach);
    const seat = { url: site.door.url, token, channelIds: ids };
    const straight = { ...seat, url: site.nodes[node]?.url ?? '' };
    const closed = (track: Track) => {
      track.end();
      if (!touches(fault, node)) ledger.broken.push(`an undisturbed socket at node ${node} was closed`);
    };
    if (kind === 'raw') seated.push(rawReceiver(straight, ledger, closed));
    else if (kind === 'stock') seated.push(stockReceiver(seat));
    else if (kind === 'poll') seated.push(pollReceiver({ ...seat, channelIds: ids.slice(0, 3) }, ledger));
    else seated.push(returningReceiver(seat, kind, ledger));
  }
  receivers.push(...(await Promise.all(seated)));
}

function touches(fault: Fault, node: number): boolean {
  return fault.touches === 'all' || (fault.touches?.includes(node) ?? false);
}

function startSenders(site: Site, fault: Fault, load: Load, trial: Trial): Sender[] {
  const { pauseMs } = load;
  return trial.speakers.map(({ token }, i) => {
    const way = ways[i % ways.length] ?? 'nonce';
    const seat = { url: site.door.url, token, channelIds: trial.channelIds };
    return new Sender(seat, trial.ledger, { name: `s${i}`, way, pauseMs, padding: fault.padding ?? 0 });
  });
}

/** Waits until everyone has everything, as long as that may take at most. */
async function settle({ receivers, ledger }: Trial): Promise<void> {
  const acknowledged = ledger.byChannel();
  const whole = () =>
    receivers.every(({ track }) => {
      const { due, got } = track.count(acknowledged);
      return due === got;
    });
  for (const end = Date.now() + settleMs; !whole() && Date.now() < end; ) await delay(100);
}

function judge(trial: Trial, fault: Fault, seconds: number, memory: number): Outcome {
  const { ledger, receivers } = trial;
  const acknowledged = ledger.byChannel();
  const zero = () => ({ due: 0, got: 0 });
  const outcome: Outcome = {
    fault: fault.name,
    sent: ledger.sent,
    acknowledged: ledger.messages.size,
    rate: ledger.messages.size / seconds,
    kinds: { raw: zero(), stock: zero(), after: zero(), resume: zero(), poll: zero() },
    duplicates: 0,
    disordered: 0,
    p50: ledger.latency(0.5),
    p99: ledger.latency(0.99),
    slowest: ledger.slowest,
    returns: 0,
    recovered: 0,
    memory,
    broken: ledger.broken,
  };
  for (const { track } of receivers) add(outcome, track, acknowledged);
  const { broken, kinds: counts } = outcome;
  for (const kind of kinds) {
    const { due, got } = counts[kind];
    if (got < due) broken.push(`${kind}: ${due - got} of ${due} deliveries are missing`);
  }
  if (outcome.duplicates > 0) broken.push(`${outcome.duplicates} events came twice`);
  if (outcome.disordered > 0) broken.push(`${outcome.disordered} events came out of order or behind a hole`);
  if (fault.readable && outcome.slowest > healedMs) broken.push(`a delivery took ${outcome.slowest} ms`);
  const lost = outcome.returns - outcome.recovered;
  if (fault.recovers && lost > 0) broken.push(`${lost} of ${outcome.returns} stock clients were not recovered`);
  return outcome;
}

function add(outcome: Outcome, track: Track, acknowledged: Map<string, number[]>): void {
  const { due, got } = track.count(acknowledged);
  outcome.kinds[track.kind].due += due;
  outcome.kinds[track.kind].got += got;
  outcome.duplicates += track.duplicates;
  outcome.disordered += track.disordered;
  if (track.kind !== 'stock') return;
  outcome.returns += track.returns;
  outcome.recovered += track.recovered;
}
