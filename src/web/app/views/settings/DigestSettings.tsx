import type { NotificationSettings } from '../../state/preferences.ts';
import { pathTo } from '../../state/router.ts';
import { Select } from '../parts/Field.tsx';
import { Block } from '../parts/Page.tsx';
import { useApp } from '../useApp.ts';

type Minutes = NotificationSettings['digestMinutes'];

const choices: { minutes: Minutes; label: string }[] = [
  { minutes: 0, label: 'Never' },
  { minutes: 15, label: 'After 15 minutes away' },
  { minutes: 60, label: 'After an hour away' },
  { minutes: 240, label: 'After 4 hours away' },
  { minutes: 1440, label: 'Once a day' },
];

const usual = 'usual';

function usualLabel(minutes: number): string {
  const known = choices.find((choice) => choice.minutes === minutes)?.label ?? `After ${minutes} minutes away`;
  return `As usual here (${known.toLowerCase()})`;
}

/** Whether the user is mailed what they missed, and when. */
export function DigestSettings() {
  const { preferences, me, attempt } = useApp();
  const { digestMinutes, digestDefaultMinutes } = preferences.current.value;
  if (digestDefaultMinutes === null) return null;
  const options = [
    { value: usual, label: usualLabel(digestDefaultMinutes) },
    ...choices.map(({ minutes, label }) => ({ value: String(minutes), label })),
  ];
  const choose = (value: string) => {
    const found = choices.find(({ minutes }) => String(minutes) === value)?.minutes ?? null;
    void attempt(() => preferences.change({ digestMinutes: found }));
  };
  return (
    <Block
      title="Mail"
      about="One mail with all that you missed, never one for each message. The next comes once you were here again."
    >
      <Select
        label="Mail me what I missed"
        value={digestMinutes === null ? usual : String(digestMinutes)}
        options={options}
        onChange={choose}
      />
      {me.value?.emailVerifiedAt == null && (
        <p class="hint">
          Only a proven address is mailed to: <a href={pathTo.settings('account')}>prove yours</a> first.
        </p>
      )}
    </Block>
  );
}
