import { isLanguage, languages } from '../../../../contract/languages.ts';
import { Select } from '../parts/Field.tsx';
import { Block } from '../parts/Page.tsx';
import { useApp, usePage, useTexts } from '../useApp.ts';

/** Each language by its own name, so that people find theirs in a page that they cannot read. */
const languageOptions = languages.map((value) => ({
  value,
  label: new Intl.DisplayNames(value, { type: 'language' }).of(value) ?? value,
}));

/** The user's language and time zone. A change shows at once, on all of their devices. */
export function Language() {
  const { t, language, locale } = useTexts();
  const { attempt, client, me, setMe, surroundings } = useApp();
  const change = (body: { language?: string; timeZone?: string }) =>
    void attempt(async () => {
      const chosen = isLanguage(body.language ?? '')
        ? { language: languages.find((one) => one === body.language) }
        : {};
      const timeZone = body.timeZone === undefined ? {} : { timeZone: body.timeZone };
      setMe(await client.rest('PATCH /api/auth/me', { body: { ...chosen, ...timeZone } }));
    });
  const timeZone = me.value?.timeZone ?? surroundings.timeZone;
  return (
    <Block title={t('Language and time zone')} about={t('On all your devices.')}>
      <Select
        label={t('Language')}
        value={language}
        options={languageOptions}
        onChange={(value) => change({ language: value })}
      />
      <Select
        label={t('Time zone')}
        value={timeZone}
        options={zonesWith(timeZone, locale)}
        onChange={(value) => change({ timeZone: value })}
      />
    </Block>
  );
}

/** For those who are not signed in; kept in this browser, and for the account that they create. */
export function LanguageChoice() {
  const { t, language } = useTexts();
  const { speech } = usePage();
  return (
    <Select
      bare
      label={t('Language')}
      value={language}
      options={languageOptions}
      onChange={(value) => isLanguage(value) && void speech.choose(value)}
    />
  );
}

/** All time zones that this browser knows, and the one that is chosen. */
function zonesWith(chosen: string, locale: string) {
  const zones = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', chosen]);
  return [...zones]
    .map((value) => ({ value, label: value.replaceAll('_', ' ') }))
    .sort((a, b) => a.label.localeCompare(b.label, locale));
}
