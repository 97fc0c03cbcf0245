import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { runEnding } from '../test/rig/ending.ts';
import { sharedPostgres } from '../test/rig/postgres.ts';
import { startRedis } from '../test/rig/redis.ts';
import { data } from './data.ts';
import { hostile } from './hostile.ts';
import { medians } from './load.ts';
import { scale } from './scale.ts';
import type { Figures, Scenario, Side } from './scenario.ts';
import { stages } from './scenarios.ts';
import { search } from './search.ts';
import { short } from './table.ts';
import { web } from './web.ts';

/**
 * `npm run bench -- [part of a scenario's name]`: each scenario runs on a bare baseline and on Parley by turns, on this
 * machine, and the medians are compared. Absolute figures say little about another machine; the ratios do.
 */
interface Result {
  scenario: string;
  figure: string;
  unit: string;
  baseline: number;
  parley: number;
  ratio: number;
  goal: number;
  reached: boolean;
  details: { baseline: Figures; parley: Figures };
}

/** @param sides the baselines, and Parley last @returns how it compares with each of them */
async function run(scenario: Scenario, sides: Side[]): Promise<Result[]> {
  const rounds: Figures[][] = sides.map(() => []);
  for (let round = 0; round < scenario.rounds; round++) {
    for (const [at, side] of sides.entries()) rounds[at]?.push(await side.measure());
  }
  const figures = rounds.map(medians);
  const parley = figures.at(-1) ?? {};
  return figures.slice(0, -1).map((baseline, at) => judged(scenario, baseline, parley, scenario.against?.[at] ?? ''));
}

function judged(scenario: Scenario, baseline: Figures, parley: Figures, against: string): Result {
  const { figure, unit, better, goal } = scenario;
  const [theirs, ours] = [baseline[figure] ?? 0, parley[figure] ?? 0];
  const ratio = ours / theirs;
  const reached = better === 'smaller' ? ratio <= goal : ratio >= goal;
  const details = { baseline, parley };
  return {
    scenario: scenario.name + against,
    figure,
    unit,
    baseline: theirs,
    parley: ours,
    ratio,
    goal,
    reached,
    details,
  };
}

const header = '| what | figure | baseline | Parley | ratio | goal | beside it |\n|---|---|---|---|---|---|---|';

function row(result: Result, better: Scenario['better']): string {
  const sign = better === 'smaller' ? '≤' : '≥';
  const cells = [
    result.scenario,
    result.figure,
    `${short(result.baseline)} ${result.unit}`,
    `${short(result.parley)} ${result.unit}`,
    `${result.ratio.toFixed(2)} ×`,
    `${sign} ${result.goal} ×${result.reached ? '' : ' (missed)'}`,
    beside(result),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** The other figures: of the baseline, then of Parley. */
function beside({ figure, details }: Result): string {
  const others = Object.keys(details.parley).filter((name) => name !== figure);
  return others.map((name) => `${name} ${short(details.baseline[name])} : ${short(details.parley[name])}`).join(', ');
}

const folder = path.join(import.meta.dirname, 'results');
mkdirSync(folder, { recursive: true });

async function compare(wanted: string): Promise<void> {
  const redis = await startRedis();
  const results: Result[] = [];
  const lines: string[] = [header];
  process.stdout.write(`${header}\n`);
  const report = async (scenario: Scenario, sides: Side[]) => {
    for (const result of await run(scenario, sides)) {
      const line = row(result, scenario.better);
      results.push(result);
      lines.push(line);
      process.stdout.write(`${line}\n`);
    }
  };
  for (const stage of stages(redis.url)) await stage.run(({ name }) => name.includes(wanted), report);
  writeFileSync(path.join(folder, 'results.json'), `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(path.join(folder, 'results.md'), `${lines.join('\n')}\n`);
  await redis.stop();
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { people: { type: 'string' }, messages: { type: 'string' } },
});
const [wanted = '', ...parts] = positionals;
const resultsOf = (name: string) => path.join(folder, `${name}.md`);

/** @throws Error if it is not a whole number above 0 */
function count(name: 'people' | 'messages'): number | null {
  const text = values[name];
  if (text === undefined) return null;
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${name} takes a whole number, such as --${name} 5000.`);
  return Number(text);
}

const [people, messages] = [count('people'), count('messages') ?? 10_000_000];

// As it is run by those who want to keep what was said: durable.
await sharedPostgres({ max_connections: '400' });
try {
  if (wanted === 'hostile') await hostile(resultsOf('hostile'), parts);
  else if (wanted === 'scale') await scale(resultsOf('scale'), parts, people);
  else if (wanted === 'data') await data(resultsOf('data'), messages);
  else if (wanted === 'web') await web(resultsOf('web'), parts);
  else if (wanted === 'search') await search(resultsOf('search'), messages);
  else await compare(wanted);
} finally {
  await runEnding();
}
