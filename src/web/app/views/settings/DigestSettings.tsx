import type { Message } from '../../../../languages/catalogue.ts';
import type { NotificationSettings } from '../../state/preferences.ts';
import { pathTo } from '../../state/router.ts';
import type { Texts } from '../../state/texts.ts';
import { Select } from '../parts/Field.tsx';
import { Block } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';

type Minutes = NotificationSettings['digestMinutes'];

const choices: { minutes: Minutes; label: Message }[] = [
  { minutes: 0, label: 'Never' },
  { minutes: 15, label: 'After 15 minutes away' },
  { minutes: 60, label: 'After an hour away' },
  { minutes: 240, label: 'After 4 hours away' },
  { minutes: 1440, label: 'Once a day' },
];

const usual = 'usual';

function usualLabel({ t }: Texts, minutes: number): string {
  const known = choices.find((choice) => choice.minutes === minutes);
  const choice = known
    ? t(known.label)
    : t('{minutes, plural, one {After # minute away} other {After # minutes away}}', { minutes });
  return t('Default: {choice}', { choice });
}

/** Whether the user is mailed what they missed, and when. */
export function DigestSettings() {
  const texts = useTexts();
  const { rich, t } = texts;
  const { preferences, me, attempt } = useApp();
  const { digestMinutes, digestDefaultMinutes } = preferences.current.value;
  if (digestDefaultMinutes === null) return null;
  const options = [
    { value: usual, label: usualLabel(texts, digestDefaultMinutes) },
    ...choices.map(({ minutes, label }) => ({ value: String(minutes), label: t(label) })),
  ];
  const choose = (value: string) => {
    const found = choices.find(({ minutes }) => String(minutes) === value)?.minutes ?? null;
    void attempt(() => preferences.change({ digestMinutes: found }));
  };
  return (
    <Block
      title={t('Mail')}
      about={t(
        'One mail with everything you missed, never one per message. The next one comes only after you were here again.',
      )}
    >
      <Select
        label={t('E-mail me what I missed')}
        value={digestMinutes === null ? usual : String(digestMinutes)}
        options={options}
        onChange={choose}
      />
      {me.value?.emailVerifiedAt == null && (
        <p class="hint">
          {rich('Mails go only to a confirmed address: {link} first.', {
            link: <a href={pathTo.settings('account')}>{t('confirm yours')}</a>,
          })}
        </p>
      )}
    </Block>
  );
}
