import { useId } from 'preact/hooks';
import { copy } from '../../state/toasts.ts';
import { Button } from './Button.tsx';

/** A line that is there to be copied. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="inline">
        {/* Its first value, to which a form around it goes back when it is emptied. */}
        <input key={value} id={id} readOnly defaultValue={value} onFocus={(event) => event.currentTarget.select()} />
        {/* Only secure pages have a clipboard. */}
        {navigator.clipboard && <Button label="Copy" kind="quiet" onClick={() => void copy(value)} />}
      </div>
    </div>
  );
}

/** Something that is shown once and never again. */
export function Secret({ title, secret }: { title: string; secret: string | null }) {
  if (!secret) return null;
  return (
    <div class="secret" role="status">
      <CopyField label={`${title}: copy it now, it is not shown again.`} value={secret} />
    </div>
  );
}
