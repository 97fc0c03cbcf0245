import { useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import type { Texts } from '../../state/texts.ts';
import { Check, Field } from '../parts/Field.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';

type Setting = RestAnswer<'GET /api/operator/settings'>[number];

/** The settings in force, and where each comes from. */
export function SettingsInForce() {
  const { t } = useTexts();
  const { client } = useApp();
  const { value } = useLoaded(() => client.rest('GET /api/operator/settings'), []);
  const [words, setWords] = useState('');
  const [all, setAll] = useState(false);
  const wanted = words.trim().toLowerCase();
  const shown = value?.filter(
    ({ name, about, isSet }) => (all || isSet || wanted !== '') && `${name} ${about}`.toLowerCase().includes(wanted),
  );
  return (
    <Block
      title={t('Settings')}
      about={t(
        'Settings of the node that answered. Change them at their source, then restart. Secrets are never shown.',
      )}
    >
      <Field label={t('Search')} name="words" maxlength={100} onInput={setWords} />
      <Check label={t('Show defaults too')} checked={all} onChange={setAll} />
      {shown?.length === 0 && <p class="empty">{t('No setting matches.')}</p>}
      <ul class="settings-in-force">
        {shown?.map((setting) => (
          <SettingRow key={setting.name} setting={setting} />
        ))}
      </ul>
    </Block>
  );
}

function SettingRow({ setting }: { setting: Setting }) {
  const texts = useTexts();
  const { name, about } = setting;
  return (
    <li>
      <code>{name}</code> <span class="faint">{sourceText(texts, setting)}</span>
      <div class="value" dir="ltr">
        {valueText(texts, setting)}
      </div>
      <div class="faint" dir="ltr" lang="en">
        {about}
      </div>
    </li>
  );
}

function valueText({ t }: Texts, { value, isSecret, isSet }: Setting): string {
  if (isSecret) return isSet ? t('set') : t('not set');
  return value ?? t('not set');
}

function sourceText({ t }: Texts, { source, file }: Setting): string {
  if (source === 'environment') return t('from the environment');
  if (source === 'file') return t('from {file}', { file: file ?? '' });
  return source === 'program' ? t('from the program that started it') : t('default');
}
