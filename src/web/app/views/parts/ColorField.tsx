import { useId } from 'preact/hooks';
import { useTexts } from '../useApp.ts';
import { Check } from './Field.tsx';

/** Where someone begins who wants a colour. */
const firstColor = '#007a72';

interface ColorFieldProps {
  /** Says that there is a colour. */
  label: string;
  color: string | null;
  onChange(color: string | null): void;
}

/** A colour, or none. */
export function ColorField({ label, color, onChange }: ColorFieldProps) {
  const { t } = useTexts();
  const id = useId();
  return (
    <>
      <Check label={label} checked={color !== null} onChange={(checked) => onChange(checked ? firstColor : null)} />
      {color !== null && (
        <div class="field color">
          <label for={id}>{t('Colour')}</label>
          <input id={id} type="color" value={color} onInput={(event) => onChange(event.currentTarget.value)} />
        </div>
      )}
    </>
  );
}
