import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runEnding } from '../test/rig/ending.ts';
import { sharedPostgres } from '../test/rig/postgres.ts';
import { startRedis } from '../test/rig/redis.ts';
import { medians } from './load.ts';
import type { Figures, Scenario, Side } from './scenario.ts';
import { stages } from './scenarios.ts';

/**
 * `npm run bench [part of a scenario's name]`: each scenario runs on a bare baseline and on Parley by turns, on this
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

async function run(scenario: Scenario, sides: [Side, Side]): Promise<Result> {
  const measured: [Figures[], Figures[]] = [[], []];
  for (let round = 0; round < scenario.rounds; round++) {
    for (const side of [0, 1] as const) measured[side].push(await sides[side].measure());
  }
  return judged(scenario, medians(measured[0]), medians(measured[1]));
}

function judged(scenario: Scenario, baseline: Figures, parley: Figures): Result {
  const { name, figure, unit, better, goal } = scenario;
  const [theirs, ours] = [baseline[figure] ?? 0, parley[figure] ?? 0];
  const ratio = ours / theirs;
  const reached = better === 'smaller' ? ratio <= goal : ratio >= goal;
  const details = { baseline, parley };
  return { scenario: name, figure, unit, baseline: theirs, parley: ours, ratio, goal, reached, details };
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

const short = (value = 0) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

const redis = await startRedis();
// As it is run by those who want to keep what was said: durable.
await sharedPostgres({ max_connections: '400' });
try {
  const wanted = process.argv[2] ?? '';
  const results: Result[] = [];
  const lines: string[] = [header];
  process.stdout.write(`${header}\n`);
  const report = async (scenario: Scenario, sides: [Side, Side]) => {
    const result = await run(scenario, sides);
    results.push(result);
    lines.push(row(result, scenario.better));
    process.stdout.write(`${lines.at(-1)}\n`);
  };
  for (const stage of stages(redis.url)) await stage.run(({ name }) => name.includes(wanted), report);
  const folder = path.join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'results.json'), `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(path.join(folder, 'results.md'), `${lines.join('\n')}\n`);
} finally {
  await redis.stop();
  await runEnding();
}
