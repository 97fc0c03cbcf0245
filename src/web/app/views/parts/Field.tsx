import { useEffect, useId, useRef } from 'preact/hooks';

interface FieldProps {
  label: string;
  name: string;
  autocomplete: string;
  type?: 'text' | 'email' | 'password' | 'url';
  inputmode?: 'numeric';
  value?: string;
  hint?: string;
  required?: boolean;
  autofocus?: boolean;
  minlength?: number;
  maxlength?: number;
}

export function Field({ label, hint, type, autofocus, ...more }: FieldProps) {
  const id = useId();
  const ref = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (autofocus) ref.current?.focus();
  }, [autofocus]);
  const input = { ...more, ref, id, 'aria-describedby': hint && `${id}-hint` };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {type === 'password' ? (
        <input type="password" {...input} />
      ) : type === 'email' ? (
        <input type="email" {...input} />
      ) : type === 'url' ? (
        <input type="url" {...input} />
      ) : (
        <input type="text" {...input} />
      )}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
