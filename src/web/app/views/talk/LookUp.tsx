import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isComposing } from '../../state/keyboard.ts';
import { useTexts } from '../useApp.ts';

/** A value, and how it is shown. */
export interface Found {
  value: string;
  label: string;
}

interface LookUpProps {
  label: string;
  name: string;
  hint?: string;
  required: boolean;
  maxlength?: number;
  /** Whether what is typed is a value by itself; otherwise one of those found is to be chosen. */
  isFree: boolean;
  value?: string;
  autofocus: boolean;
  /** What fits to what is typed. It may take a moment, and fail. */
  find(typed: string): Promise<readonly Found[]>;
  /** Outside of a form: one was chosen. */
  onTake?(found: Found): void;
}

interface Open {
  list: readonly Found[];
  /** -1: none, so that Enter sends the form. */
  chosen: number;
}

const pauseMs = 200;
const closed: Open = { list: [], chosen: -1 };

/** A field whose values are looked up while someone types. In a form its name has the value. */
export function LookUp(props: LookUpProps) {
  const { label, name, hint, required, maxlength, isFree, autofocus } = props;
  const { t } = useTexts();
  const id = useId();
  const ref = useRef<HTMLInputElement>(null);
  const { typed, picked, open, type, take, press, ask } = useLookUp(props);
  const isLoose = !isFree && typed !== '' && !picked;
  useLayoutEffect(() => ref.current?.setCustomValidity(isLoose ? t('Choose one of those found.') : ''), [isLoose, t]);
  const { list, chosen } = open;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        ref={ref}
        id={id}
        type="text"
        role="combobox"
        autocomplete="off"
        autofocus={autofocus}
        required={required}
        maxlength={maxlength}
        value={picked?.label ?? typed}
        aria-autocomplete="list"
        aria-expanded={list.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={chosen < 0 ? undefined : `${id}-${chosen}`}
        aria-describedby={hint && `${id}-hint`}
        onFocus={() => ask(true)}
        onBlur={() => ask(false)}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={press}
      />
      <input type="hidden" name={name} value={picked?.value ?? (isFree ? typed : '')} />
      <div class="suggestions" id={`${id}-list`} role="listbox" aria-label={label} hidden={list.length === 0}>
        {list.map((found, at) => (
          <div
            key={found.value}
            id={`${id}-${at}`}
            role="option"
            tabIndex={-1}
            class={at === chosen ? 'chosen' : ''}
            aria-selected={at === chosen}
            // Before the field loses the focus.
            onPointerDown={(event) => {
              event.preventDefault();
              take(found);
            }}
          >
            <bdi>{found.label}</bdi>
          </div>
        ))}
      </div>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

function useLookUp({ value = '', find, onTake }: LookUpProps) {
  const [typed, setTyped] = useState(value);
  const [picked, setPicked] = useState<Found | null>(null);
  const [isAsking, ask] = useState(false);
  const [open, setOpen] = useState(closed);
  useEffect(() => {
    setOpen(closed);
    if (!isAsking || picked) return;
    let isWanted = true;
    const timer = setTimeout(async () => {
      // Without suggestions people type on.
      const list = await find(typed).catch(() => []);
      if (isWanted) setOpen({ list, chosen: -1 });
    }, pauseMs);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [typed, picked, isAsking]);
  const take = (found: Found) => {
    setPicked(found);
    setOpen(closed);
    onTake?.(found);
  };
  const type = (text: string) => {
    setPicked(null);
    setTyped(text);
  };
  const move = (by: number) =>
    setOpen(({ list, chosen }) => ({
      list,
      chosen: (Math.max(chosen, by > 0 ? -1 : 0) + by + list.length) % list.length,
    }));
  const press = (event: KeyboardEvent) => {
    const { list, chosen } = open;
    const found = list[chosen];
    if (list.length === 0 || isComposing(event)) return;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter' && found) take(found);
    else if (event.key === 'Escape') setOpen(closed);
    else return;
    event.preventDefault();
    // A dialog would be closed by Escape.
    event.stopPropagation();
  };
  return { typed, picked, open, type, take, press, ask };
}
