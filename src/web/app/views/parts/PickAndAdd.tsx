import { useState } from 'preact/hooks';
import { type Option, Select } from './Field.tsx';

interface PickAndAddProps {
  label: string;
  options: Option[];
  onAdd(value: string): void;
}

/** One of several to be added; nothing where there is none left. */
export function PickAndAdd({ label, options, onAdd }: PickAndAddProps) {
  const [chosen, setChosen] = useState('');
  const picked = options.find(({ value }) => value === chosen) ?? options[0];
  if (!picked) return null;
  return (
    <div class="inline">
      <Select bare label={label} value={picked.value} options={options} onChange={setChosen} />
      <button type="button" class="button" aria-label={`Add: ${label}`} onClick={() => onAdd(picked.value)}>
        Add
      </button>
    </div>
  );
}
