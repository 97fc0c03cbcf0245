import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runEnding } from '../test/bench/ending.ts';
import { startRedis } from '../test/bench/redis.ts';
import { type Figures, type Scenario, scenarios } from './scenarios.ts';

/**
 * `npm run bench [part of a scenario's name]`: each scenario runs on a bare baseline and on Parley by turns, on this
 * machine, and the medians are compared. Absolute figures say little about another machine; the ratios do.
 */
const rounds = 3;

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

async function run(scenario: Scenario): Promise<Result> {
  const runs: [Figures[], Figures[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    for (const side of [0, 1] as const) {
      const subject = await scenario.subjects[side]();
      try {
        runs[side].push(await scenario.measure(subject));
      } finally {
        await subject.stop();
      }
    }
  }
  const [baseline, parley] = [medians(runs[0]), medians(runs[1])];
  const [theirs, ours] = [baseline[scenario.figure] ?? 0, parley[scenario.figure] ?? 0];
  const ratio = ours / theirs;
  const reached = scenario.better === 'smaller' ? ratio <= scenario.goal : ratio >= scenario.goal;
  return {
    scenario: scenario.name,
    figure: scenario.figure,
    unit: scenario.unit,
    baseline: theirs,
    parley: ours,
    ratio,
    goal: scenario.goal,
    reached,
    details: { baseline, parley },
  };
}

function medians(figures: Figures[]): Figures {
  const names = Object.keys(figures[0] ?? {});
  return Object.fromEntries(
    names.map((name) => {
      const values = figures.map((figure) => figure[name] ?? 0).sort((a, b) => a - b);
      return [name, values[Math.floor(values.length / 2)] ?? 0];
    }),
  );
}

function row(result: Result, better: Scenario['better']): string {
  const number = (value: number) => (value >= 100 ? value.toFixed(0) : value.toFixed(2));
  const sign = better === 'smaller' ? '≤' : '≥';
  const cells = [
    result.scenario,
    `${result.figure}`,
    `${number(result.baseline)} ${result.unit}`,
    `${number(result.parley)} ${result.unit}`,
    `${result.ratio.toFixed(2)} ×`,
    `${sign} ${result.goal} ×${result.reached ? '' : ' (missed)'}`,
  ];
  return `| ${cells.join(' | ')} |`;
}

const header = '| what | figure | baseline | Parley | ratio | goal |\n|---|---|---|---|---|---|';
const redis = await startRedis();
try {
  const wanted = process.argv[2] ?? '';
  const results: Result[] = [];
  const lines: string[] = [header];
  process.stdout.write(`${header}\n`);
  for (const scenario of scenarios(redis.url).filter(({ name }) => name.includes(wanted))) {
    const result = await run(scenario);
    results.push(result);
    lines.push(row(result, scenario.better));
    process.stdout.write(`${lines.at(-1)}\n`);
  }
  const folder = path.join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'results.json'), `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(path.join(folder, 'results.md'), `${lines.join('\n')}\n`);
} finally {
  await redis.stop();
  await runEnding();
}
