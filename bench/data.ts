import { crowdUser } from './crowd.ts';
import { type Amount, fill } from './data/fill.ts';
import { measured, reader } from './data/measure.ts';
import { text } from './load.ts';
import { on } from './scale/part.ts';
import type { Figures } from './scenario.ts';
import { parley, type Subject } from './subject.ts';
import { Tables } from './table.ts';

/**
 * `npm run bench -- data [--messages 10000000]`: a server with many messages, channels and members, and the same with few
 * messages. What it takes should not grow with what is there.
 */
const few = 100_000;
const channels = 5000;
const members = 20_000;
const goal = 1.2;

/** @param file where the tables go @param messages how many there are on the larger side */
export async function data(file: string, messages: number): Promise<void> {
  const tables = new Tables(file);
  const results: Map<string, Figures>[] = [];
  for (const amount of [few, messages].map((count) => ({ messages: count, channels, members }))) {
    const found = new Map<string, Figures>();
    results.push(found);
    tables.say(`\n**${amount.messages} messages** in ${channels} channels of a server of ${members}`);
    const row = (name: string, figures: Figures) => {
      found.set(name, figures);
      tables.row(name, figures);
    };
    const failed = (name: string, error: unknown) => {
      tables.say(`${name} failed: ${error instanceof Error ? error.message : error}`);
      process.exitCode = 1;
    };
    await on(parley({ channels: 1, people: members + 1 }), (subject) => side(subject, amount, row, failed)).catch(
      (error) => failed('the rest', error),
    );
  }
  const [little, much] = results;
  if (!little || !much) return;
  tables.say(`\n**Growth** from ${few} to ${messages} messages; the goal of each ratio is ${goal}`);
  for (const [name, figures] of much) {
    const ratios = Object.entries(figures).map(([figure, value]) => [
      figure,
      value / (little.get(name)?.[figure] ?? 0),
    ]);
    tables.row(name, Object.fromEntries(ratios));
  }
}

async function side(
  subject: Subject,
  amount: Amount,
  row: (name: string, figures: Figures) => void,
  failed: (name: string, error: unknown) => void,
): Promise<void> {
  const { first, tokens, databaseUrl } = subject;
  const [channelId = ''] = subject.channels;
  const path = `/api/channels/${channelId}/messages`;
  const { id } = await first.request<{ id: string }>('POST', path, { content: text }, tokens[0]);
  const say = (line: string) => process.stdout.write(`  ${line}\n`);
  await fill(databaseUrl, amount, { id, channelId, content: text }, crowdUser(reader), say);
  // The nodes that are measured have not read what was there before.
  for (const [name, measure] of measured(subject, amount)) {
    await measure().then(
      (figures) => row(name, figures),
      (error) => failed(name, error),
    );
  }
}
