import { useId, useState } from 'preact/hooks';
import { mostAheadDays } from '../../../../contract/ahead.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import type { Texts } from '../../state/texts.ts';
import { useTexts } from '../useApp.ts';
import { Select } from './Field.tsx';
import type { Fields } from './Form.tsx';

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** When people begin their day. */
const morning = '09:00';

interface Suggested {
  value: string;
  label: Message;
  at(texts: Texts): Date;
}

const inMinutes = (count: number) => () => new Date(Date.now() + count * minuteMs);

/** The morning of one of the next days. @param isIt whether it is this one, by its number: Sunday is 0 */
function nextMorning({ localTime, instantOf }: Texts, isIt: (weekday: number) => boolean): Date {
  const today = Date.parse(`${localTime(new Date()).slice(0, 10)}T00:00Z`);
  const days = [1, 2, 3, 4, 5, 6, 7].map((count) => new Date(today + count * dayMs));
  const [day = new Date(today)] = days.filter((one) => isIt(one.getUTCDay()));
  return instantOf(`${day.toISOString().slice(0, 10)}T${morning}`) ?? day;
}

const suggested: readonly Suggested[] = [
  { value: '20-minutes', label: 'In 20 minutes', at: inMinutes(20) },
  { value: '1-hour', label: 'In 1 hour', at: inMinutes(60) },
  { value: '3-hours', label: 'In 3 hours', at: inMinutes(180) },
  { value: 'tomorrow', label: 'Tomorrow', at: (texts) => nextMorning(texts, () => true) },
  { value: 'monday', label: 'Next Monday', at: (texts) => nextMorning(texts, (weekday) => weekday === 1) },
];
const other = 'other';

/** A time to choose, with usual ones, by the clock of the user. @param value the one that is set, as ISO 8601 */
export function TimeChoice({ label, value = null }: { label: string; value?: string | null }) {
  const texts = useTexts();
  const { clockTime, localTime, shortTime, t } = texts;
  const id = useId();
  const [chosen, setChosen] = useState(value ? other : '1-hour');
  const options = suggested.map(({ value: name, label: text, at }) => {
    const time = at(texts).toISOString();
    return { value: name, label: `${t(text)} (${name === 'monday' ? shortTime(time) : clockTime(time)})` };
  });
  const preset = localTime(value ? new Date(value) : inMinutes(60)());
  return (
    <>
      <Select
        label={label}
        name="when"
        value={chosen}
        options={[...options, { value: other, label: t('At another time') }]}
        onChange={setChosen}
      />
      {chosen === other && (
        <div class="field">
          <label for={id}>{t('Date and time')}</label>
          <input id={id} type="datetime-local" name="at" required defaultValue={preset} />
        </div>
      )}
    </>
  );
}

/**
 * The chosen time as ISO 8601.
 * @param value the one that was set: it stays to the second where nobody chose another
 * @throws Error where none is given, or one that is over or too far ahead
 */
export function chosenTime(texts: Texts, fields: Fields, value: string | null = null): string {
  const found = suggested.find(({ value: name }) => name === fields.text('when'));
  if (!found && value !== null && fields.text('at') === texts.localTime(new Date(value))) return value;
  const at = found ? found.at(texts) : texts.instantOf(fields.text('at'));
  if (!at) throw new Error(texts.t('Choose a date and a time.'));
  const aheadMs = at.getTime() - Date.now();
  if (aheadMs <= 0) throw new Error(texts.t('This time is in the past. Choose a later one.'));
  if (aheadMs > mostAheadDays * dayMs) throw new Error(texts.t('Choose a time within a year.'));
  return at.toISOString();
}
