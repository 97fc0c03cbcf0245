import { crowdUser } from './crowd.ts';
import { type Amount, fill } from './data/fill.ts';
import { type Filled, measures, reader } from './data/measure.ts';
import { medians, text } from './load.ts';
import type { Figures } from './scenario.ts';
import { parley } from './subject.ts';
import { Tables } from './table.ts';

/**
 * `npm run bench -- data [--messages 10000000]`: a server with many messages, channels and members, and by turns with it
 * the same with few messages. What anything takes should not grow with what is there.
 */
const few = 100_000;
const channels = 5000;
const members = 20_000;
const goal = 1.2;
const rounds = 3;

/** @param file where the tables go @param messages how many there are on the larger side */
export async function data(file: string, messages: number): Promise<void> {
  const tables = new Tables(file);
  tables.say(
    `${few} and ${messages} messages in ${channels} channels of a server of ${members}: medians of ${rounds} rounds by ` +
      `turns, of requests one after the other, and ratios, whose goal is ≤ ${goal} ×.`,
  );
  const failed = (name: string, error: unknown) => {
    tables.say(`${name} failed: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  };
  const sides: Filled[] = [];
  try {
    for (const count of [few, messages]) {
      const opening = open({ messages: count, channels, members }, (subject) => sides.push(subject));
      await opening.catch((error) => failed(`Filling with ${count} messages`, error));
    }
    for (const { name, measure, isFast } of measures) {
      const row = compared(sides, measure, isFast ? rounds : 1);
      await row.then(
        (figures) => tables.row(name, figures),
        (error) => failed(name, error),
      );
    }
  } finally {
    for (const { subject } of sides) await subject.stop();
  }
}

/** @param opened is told of it before it is filled, since it has to be stopped in any case */
async function open(amount: Amount, opened: (side: Filled) => void): Promise<void> {
  const subject = await parley({ channels: 1, people: members + 1 });
  const side = { subject, amount, isFilled: false };
  opened(side);
  const { first, tokens, databaseUrl } = subject;
  const [channelId = ''] = subject.channels;
  const path = `/api/channels/${channelId}/messages`;
  const { id } = await first.request<{ id: string }>('POST', path, { content: text }, tokens[0]);
  const say = (line: string) => process.stdout.write(`  ${amount.messages}: ${line}\n`);
  await fill(databaseUrl, amount, { id, channelId, content: text }, crowdUser(reader), say);
  side.isFilled = true;
}

/** Each figure of each side that could be filled, and the ratio of them. */
async function compared(sides: Filled[], measure: (side: Filled) => Promise<Figures>, times: number): Promise<Figures> {
  const filled = sides.filter(({ isFilled }) => isFilled);
  const found = filled.map((): Figures[] => []);
  for (let round = 0; round < times; round++) {
    for (const [at, side] of filled.entries()) found[at]?.push(await measure(side));
  }
  const middle = found.map(medians);
  const row: Figures = {};
  for (const name of Object.keys(middle[0] ?? {})) {
    for (const [at, figures] of middle.entries()) row[`${name}, ${filled[at]?.amount.messages}`] = figures[name] ?? 0;
    if (middle.length === 2) row[`${name}, ratio`] = (middle[1]?.[name] ?? 0) / (middle[0]?.[name] ?? 0);
  }
  return row;
}
