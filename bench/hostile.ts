import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import type { Order, Target } from './hostile/attacker.ts';
import { attacks } from './hostile/attacks.ts';
import type { HonestFigures, HonestStart } from './hostile/honest.ts';
import { openSite, type Site } from './hostile/site.ts';
import { pause } from './load.ts';

/**
 * `npm run bench hostile [parts of attacks' names]`: a thousand honest sockets, measured while others attack the node in
 * every way that was thought of, with its limits on. What matters is what the honest ones notice, and that the memory comes
 * back.
 */
const calmMs = 10_000;
const attackMs = 8000;
/** After an attack. */
const restMs = 5000;
const memoryEveryMs = 100;

const header =
  '| attack | p50 | p99 | max (ms) | p99 to calm | lost | longest turn (ms) | memory before, at most, after (MiB) | CPU of the node | load | what the attackers got |\n' +
  '|---|---|---|---|---|---|---|---|---|---|---|';

/** @param file where the table goes @param wanted parts of the names of attacks; none: all of them */
export async function hostile(file: string, wanted: string[]): Promise<void> {
  const [honest, attacker] = ['honest', 'attacker'].map(process_);
  if (!honest || !attacker) throw new Error('unreachable');
  try {
    const [silent] = await answerOf(attacker);
    const site = await openSite(silent.port);
    try {
      const start: HonestStart = { port: site.target.port, tokens: site.honest, channels: site.target.channels };
      honest.send(start);
      await answerOf(honest);
      const names = Object.keys(attacks).filter(
        (name) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
      );
      await new Run(site, honest, attacker).all(file, names);
    } finally {
      await site.stop();
    }
  } finally {
    honest.kill();
    attacker.kill();
  }
}

const process_ = (name: string) => fork(path.join(import.meta.dirname, 'hostile', `${name}.ts`));

/** What a process says next. @throws Error when it ends instead */
function answerOf(child: ChildProcess) {
  const waiting = new AbortController();
  const ended = () => waiting.abort(new Error('A process of the run has ended.'));
  child.once('exit', ended);
  return once(child, 'message', { signal: waiting.signal }).finally(() => child.off('exit', ended));
}

class Run {
  private readonly site: Site;
  private readonly honest: ChildProcess;
  private readonly attacker: ChildProcess;
  private calm = 1;

  constructor(site: Site, honest: ChildProcess, attacker: ChildProcess) {
    this.site = site;
    this.honest = honest;
    this.attacker = attacker;
  }

  async all(file: string, names: string[]): Promise<void> {
    const lines = [header];
    const tell = (line: string) => {
      lines.push(line);
      process.stdout.write(`${line}\n`);
    };
    process.stdout.write(`${header}\n`);
    await pause(restMs);
    tell(await this.row('calm', () => pause(calmMs).then(() => '')));
    for (const name of names) tell(await this.row(name, () => this.attack(name)));
    writeFileSync(file, `${lines.join('\n')}\n`);
  }

  private async row(name: string, work: () => Promise<string>): Promise<string> {
    const { node } = this.site;
    await this.figures();
    await node.longestTurn();
    const bytes = await this.site.storedBytes();
    const before = node.resident();
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, node.resident());
    }, memoryEveryMs);
    const [started, cpu] = [performance.now(), node.cpu()];
    const got = await work();
    const share = (node.cpu() - cpu) / 10 / (performance.now() - started);
    const { p50, p99, max, lost } = await this.figures();
    if (name === 'calm') this.calm = p99;
    const turn = await node.longestTurn();
    await pause(restMs);
    clearInterval(watch);
    const left = (await this.site.storedBytes()) - bytes;
    const cells = [
      name,
      p50.toFixed(1),
      p99.toFixed(1),
      max.toFixed(0),
      `${(p99 / this.calm).toFixed(1)} ×`,
      lost,
      turn.toFixed(0),
      `${before.toFixed(0)}, ${most.toFixed(0)}, ${node.resident().toFixed(0)}`,
      `${share.toFixed(0)} %`,
      loadavg()[0]?.toFixed(1),
      `${got}${left === 0 ? '' : ` (${left} bytes left)`}`,
    ];
    return `| ${cells.join(' | ')} |`;
  }

  private async figures(): Promise<HonestFigures> {
    this.honest.send('figures');
    const [figures] = await answerOf(this.honest);
    return figures;
  }

  private async attack(name: string): Promise<string> {
    const order: Order = { attack: name, ms: attackMs, target: this.site.target satisfies Target };
    this.attacker.send(order);
    const [counts] = await answerOf(this.attacker);
    return Object.entries(counts)
      .map(([what, count]) => `${what}: ${count}`)
      .join(', ');
  }
}
