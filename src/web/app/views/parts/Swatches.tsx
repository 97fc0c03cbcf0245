import { useId } from 'preact/hooks';

interface SwatchesProps<T extends string> {
  legend: string;
  value: T;
  options: readonly { value: T; label: string }[];
  /** The class of what shows a choice; without one there is only its name. */
  sample?(value: T): string;
  onChange(value: T): void;
}

/** One of a few, all of which are seen. */
export function Swatches<T extends string>({ legend, value, options, sample, onChange }: SwatchesProps<T>) {
  const name = useId();
  return (
    <fieldset class="swatches">
      <legend>{legend}</legend>
      {options.map((option) => (
        <label key={option.value} class="swatch">
          <input type="radio" name={name} checked={option.value === value} onChange={() => onChange(option.value)} />
          {sample && <span class={`sample ${sample(option.value)}`} aria-hidden="true" />}
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}
