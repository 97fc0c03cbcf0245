import { useId, useState } from 'preact/hooks';
import { Select } from './Field.tsx';
import type { Fields } from './Form.tsx';
import { clockTime, shortTime } from './time.ts';

const minuteMs = 60_000;
/** When people begin their day. */
const morning = 9;

interface Suggested {
  value: string;
  label: string;
  at(): Date;
}

const inMinutes = (count: number) => () => new Date(Date.now() + count * minuteMs);

/** The morning of one of the next days. @param isIt whether it is this one, by its number: Sunday is 0 */
function nextMorning(isIt: (weekday: number) => boolean): Date {
  const at = new Date();
  at.setHours(morning, 0, 0, 0);
  do at.setDate(at.getDate() + 1);
  while (!isIt(at.getDay()));
  return at;
}

const suggested: readonly Suggested[] = [
  { value: '20-minutes', label: 'In 20 minutes', at: inMinutes(20) },
  { value: '1-hour', label: 'In 1 hour', at: inMinutes(60) },
  { value: '3-hours', label: 'In 3 hours', at: inMinutes(180) },
  { value: 'tomorrow', label: 'Tomorrow', at: () => nextMorning(() => true) },
  { value: 'monday', label: 'Next Monday', at: () => nextMorning((weekday) => weekday === 1) },
];
const other = { value: 'other', label: 'At another time' };

/** A time to choose, with usual ones, in the time of this device. @param value the one that is set, as ISO 8601 */
export function TimeChoice({ label, value = null }: { label: string; value?: string | null }) {
  const id = useId();
  const [chosen, setChosen] = useState(value ? other.value : '1-hour');
  const options = suggested.map(({ value: name, label: text, at }) => ({
    value: name,
    label: `${text} (${name === 'monday' ? shortTime(at().toISOString()) : clockTime(at().toISOString())})`,
  }));
  return (
    <>
      <Select label={label} name="when" value={chosen} options={[...options, other]} onChange={setChosen} />
      {chosen === other.value && (
        <div class="field">
          <label for={id}>Date and time</label>
          <input id={id} type="datetime-local" name="at" required defaultValue={localTime(value)} />
        </div>
      )}
    </>
  );
}

/** The chosen time as ISO 8601. @throws Error where none is given */
export function chosenTime(fields: Fields): string {
  const found = suggested.find(({ value }) => value === fields.text('when'));
  const at = found ? found.at() : new Date(fields.text('at'));
  if (Number.isNaN(at.getTime())) throw new Error('Choose a date and a time.');
  return at.toISOString();
}

/** As fields for a local time have it: `2026-01-31T09:00`. */
function localTime(iso: string | null): string {
  const at = iso ? new Date(iso) : inMinutes(60)();
  return new Date(at.getTime() - at.getTimezoneOffset() * minuteMs).toISOString().slice(0, 16);
}
