import { setImmediate as turn } from 'node:timers/promises';
import { stretches } from './stretches.ts';

/**
 * An Aho-Corasick automaton over whole numbers: it finds which of many patterns are in a sequence, in time linear in the
 * sequence however many patterns there are and whatever they are. Its edges are one open-addressed table.
 */
export class Automaton {
  private readonly mask: number;
  private readonly nodes: Int32Array;
  private readonly symbols: Int32Array;
  private readonly targets: Int32Array;
  /** Node → that of the longest proper suffix of what leads to it. */
  private readonly fallbacks: Int32Array;
  /** Node → one more than the first pattern that ends there, or 0. */
  private readonly ends: Int32Array;
  private count = 1;

  private constructor(capacity: number) {
    const slots = 2 ** Math.ceil(Math.log2(capacity * 2 + 2));
    this.mask = slots - 1;
    this.nodes = new Int32Array(slots);
    this.symbols = new Int32Array(slots);
    this.targets = new Int32Array(slots);
    this.fallbacks = new Int32Array(capacity + 1);
    this.ends = new Int32Array(capacity + 1);
  }

  /**
   * Builds it in steps between which others get their turn.
   * @param patterns the first ones count before later ones
   * @param most how many symbols they have together, at most
   */
  static async of(patterns: Iterable<readonly number[]>, most: number): Promise<Automaton> {
    const automaton = new Automaton(most);
    const isDue = stretches();
    /** In breadth: parents come before their children. */
    const levels: number[][] = [];
    let index = 0;
    for (const pattern of patterns) {
      automaton.add(pattern, index++, levels);
      if (isDue(pattern.length)) await turn();
    }
    for (const level of levels) {
      for (let at = 0; at < level.length; at += 3) {
        automaton.link(level[at] ?? 0, level[at + 1] ?? 0, level[at + 2] ?? 0);
        if (isDue(1)) await turn();
      }
    }
    return automaton;
  }

  /** How much memory it takes, in bytes. */
  get size(): number {
    return this.targets.length * 12 + this.ends.length * 8;
  }

  /** The state after one more symbol. The first state is 0. */
  next(state: number, symbol: number): number {
    for (let at = state; ; at = this.fallbacks[at] ?? 0) {
      const target = this.target(at, symbol);
      if (target !== 0 || at === 0) return target;
    }
  }

  /** The first of the patterns that end in a state; -1: none does. */
  found(state: number): number {
    return (this.ends[state] ?? 0) - 1;
  }

  private slot(node: number, symbol: number): number {
    let at = Math.imul(Math.imul(node, 0x9e3779b1) ^ symbol, 0x85ebca6b);
    at = (at ^ (at >>> 15)) & this.mask;
    while (this.targets[at] !== 0 && (this.nodes[at] !== node || this.symbols[at] !== symbol))
      at = (at + 1) & this.mask;
    return at;
  }

  private target(node: number, symbol: number): number {
    return this.targets[this.slot(node, symbol)] ?? 0;
  }

  private add(pattern: readonly number[], index: number, levels: number[][]): void {
    let node = 0;
    for (const [depth, symbol] of pattern.entries()) {
      const slot = this.slot(node, symbol);
      if (this.targets[slot] === 0) {
        this.nodes[slot] = node;
        this.symbols[slot] = symbol;
        this.targets[slot] = this.count++;
        const level = levels[depth] ?? [];
        levels[depth] = level;
        level.push(node, symbol, this.targets[slot] ?? 0);
      }
      node = this.targets[slot] ?? 0;
    }
    if (pattern.length > 0 && this.ends[node] === 0) this.ends[node] = index + 1;
  }

  private link(parent: number, symbol: number, node: number): void {
    const fallback = parent === 0 ? 0 : this.next(this.fallbacks[parent] ?? 0, symbol);
    this.fallbacks[node] = fallback;
    const [own, other] = [this.ends[node] ?? 0, this.ends[fallback] ?? 0];
    this.ends[node] = own === 0 || other === 0 ? own + other : Math.min(own, other);
  }
}
