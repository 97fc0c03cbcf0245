import { useEffect, useMemo, useState } from 'preact/hooks';
import type { QuietSpan } from '../../state/preferences.ts';
import { Button, IconButton } from '../parts/Button.tsx';
import { Check } from '../parts/Field.tsx';
import { Form } from '../parts/Form.tsx';
import { Block } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';

const week = [1, 2, 3, 4, 5, 6, 7];

/** The days of the week with their names. */
function daysIn(locale: string) {
  const [short, long] = (['short', 'long'] as const).map((weekday) => {
    return new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' });
  });
  return week.map((day) => {
    // 5 January 2026 was a Monday.
    const date = new Date(Date.UTC(2026, 0, 4 + day));
    return { day, short: short?.format(date), long: long?.format(date) };
  });
}

/** The same hours on some days. */
interface Hours {
  key: number;
  days: ReadonlySet<number>;
  from: string;
  to: string;
}

const everyDay = new Set(week);
const night = { days: everyDay, from: '22:00', to: '07:00' };

function hoursOf(spans: readonly QuietSpan[]): Hours[] {
  const groups = Map.groupBy(spans, ({ from, to }) => `${from}-${to}`);
  return [...groups.values()].flatMap((group, key) => {
    const [first] = group;
    return first ? [{ key, days: new Set(group.map(({ day }) => day)), from: first.from, to: first.to }] : [];
  });
}

const spansOf = (all: readonly Hours[]): QuietSpan[] =>
  all.flatMap(({ days: chosen, from, to }) => [...chosen].sort().map((day) => ({ day, from, to })));

/** Hours of the week in which nothing disturbs the user. */
export function QuietHours() {
  const { t } = useTexts();
  const { preferences, me, attempt, surroundings } = useApp();
  const { quietHours } = preferences.current.value;
  const turn = (isOn: boolean) => {
    const spans = quietHours.spans.length > 0 ? quietHours.spans : spansOf([{ key: 0, ...night }]);
    return preferences.change({ quietHours: { isOn, spans } });
  };
  const zone = me.value?.timeZone ?? surroundings.timeZone;
  return (
    <Block
      title={t('Quiet hours')}
      about={t('You get no push notifications, mails or alerts then. Times are in {zone}.', {
        zone,
      })}
    >
      <Check
        label={t('Use quiet hours')}
        checked={quietHours.isOn}
        onChange={(isOn) => void attempt(() => turn(isOn))}
      />
      {quietHours.isOn && <Schedule spans={quietHours.spans} />}
    </Block>
  );
}

function Schedule({ spans }: { spans: readonly QuietSpan[] }) {
  const { locale, t } = useTexts();
  const { preferences, showToast } = useApp();
  const days = useMemo(() => daysIn(locale), [locale]);
  const [all, setAll] = useState(() => hoursOf(spans));
  // Another device may have changed them.
  useEffect(() => setAll(hoursOf(spans)), [JSON.stringify(spans)]);
  const set = (key: number, change: Partial<Hours>) =>
    setAll(all.map((hours) => (hours.key === key ? { ...hours, ...change } : hours)));
  const add = () => setAll([...all, { ...night, key: Math.max(-1, ...all.map(({ key }) => key)) + 1 }]);
  const save = async () => {
    if (all.some(({ days: chosen }) => chosen.size === 0)) throw new Error(t('Choose a day for all of them.'));
    await preferences.change({ quietHours: { isOn: true, spans: spansOf(all) } });
    showToast(t('Your quiet hours are saved.'), 'good');
  };
  return (
    <Form action={t('Save')} work={save} beside={<Button label={t('Add quiet hours')} kind="quiet" onClick={add} />}>
      {all.map((hours, index) => (
        <fieldset key={hours.key} class="choices quiet-hours">
          <legend>{t('Quiet hours {number}', { number: index + 1 })}</legend>
          <div class="flags">
            {days.map(({ day, short, long }) => (
              <label key={day} class="check">
                <input
                  type="checkbox"
                  aria-label={long}
                  checked={hours.days.has(day)}
                  onChange={({ currentTarget }) =>
                    set(hours.key, { days: changed(hours.days, day, currentTarget.checked) })
                  }
                />
                <span aria-hidden="true">{short}</span>
              </label>
            ))}
          </div>
          <div class="inline wrapping">
            <Time label={t('From')} value={hours.from} onChange={(from) => set(hours.key, { from })} />
            <Time label={t('To')} value={hours.to} onChange={(to) => set(hours.key, { to })} />
            <IconButton
              icon="trash"
              label={t('Remove quiet hours {number}', { number: index + 1 })}
              onClick={() => setAll(all.filter(({ key }) => key !== hours.key))}
            />
          </div>
          {hours.to <= hours.from && <p class="hint">{t('Until the next day.')}</p>}
        </fieldset>
      ))}
    </Form>
  );
}

function changed(chosen: ReadonlySet<number>, day: number, isOn: boolean): ReadonlySet<number> {
  return new Set(isOn ? [...chosen, day] : [...chosen].filter((other) => other !== day));
}

function Time({ label, value, onChange }: { label: string; value: string; onChange(value: string): void }) {
  return (
    <label class="time">
      {label}
      <input type="time" required value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
    </label>
  );
}
