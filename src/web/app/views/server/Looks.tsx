import { useState } from 'preact/hooks';
import type { ServerRecord } from '../../../../client/index.ts';
import { ServerMark } from '../parts/Avatar.tsx';
import { ColorField } from '../parts/ColorField.tsx';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useApp, useTexts } from '../useApp.ts';

/** The mark of a server, for when it has no picture, and its colour. */
export function Looks({ server }: { server: ServerRecord }) {
  const { t } = useTexts();
  const { servers, showToast } = useApp();
  const [mark, setMark] = useState(server.mark ?? '');
  const [color, setColor] = useState(server.accentColor);
  const save = async ({ text }: Fields) => {
    await servers.update(server.id, { mark: text('mark') || null, accentColor: color });
    showToast(t('The server is saved.'));
  };
  return (
    <Form class="block" action={t('Save')} work={save}>
      <h2>{t('Mark and colour')}</h2>
      <p class="faint">
        {t('The mark is shown where the server has no picture. The colour is that of buttons and the like in it.')}
      </p>
      <p class="looks-preview">
        <span class="server large">
          <ServerMark server={{ ...server, mark: mark.trim() || null, accentColor: color }} />
        </span>
      </p>
      <Field
        label={t('Mark')}
        name="mark"
        maxlength={32}
        value={mark}
        hint={t('An emoji, or one or two letters.')}
        onInput={setMark}
      />
      <ColorField label={t('The server has a colour of its own')} color={color} onChange={setColor} />
    </Form>
  );
}
