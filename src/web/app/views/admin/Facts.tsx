import type { ComponentChildren } from 'preact';

interface FactsProps {
  facts: readonly (readonly [name: string, value: ComponentChildren])[];
  /** They are few and short: each is a tile of its own. */
  tiles?: boolean;
}

/** Names and their values. */
export function Facts({ facts, tiles = false }: FactsProps) {
  return (
    <dl class={tiles ? 'tiles' : 'facts'}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
