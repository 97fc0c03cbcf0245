import { useState } from 'preact/hooks';
import type { ServerRecord } from '../../../../client/index.ts';
import type { OwnEmoji } from '../../state/own-emoji.ts';
import { IconButton } from '../parts/Button.tsx';
import { Confirm } from '../parts/Dialog.tsx';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { OwnEmojiPicture } from '../parts/OwnEmoji.tsx';
import { Block, Row } from '../parts/Page.tsx';
import { useOwnEmoji } from '../talk/useOwnEmoji.ts';
import { useApp, useTexts } from '../useApp.ts';

const accepted = 'image/png,image/jpeg,image/gif,image/webp,image/avif';
const most = 250;

/** The emoji of a server's own, for those who manage them. */
export function ServerEmoji({ server }: { server: ServerRecord }) {
  const { t } = useTexts();
  const list = useOwnEmoji(server);
  return (
    <>
      <NewEmoji server={server} />
      <Block
        title={t('Emoji')}
        about={t('{count} of {most}. Type the name between colons where you write.', { count: list.length, most })}
      >
        {list.length === 0 && <p class="empty">{t('No emoji yet.')}</p>}
        <ul class="people">
          {list.map((emoji) => (
            <EmojiRow key={emoji.id} server={server} emoji={emoji} />
          ))}
        </ul>
      </Block>
    </>
  );
}

function EmojiRow({ server, emoji }: { server: ServerRecord; emoji: OwnEmoji }) {
  const { t } = useTexts();
  const { attempt, client, ownEmoji } = useApp();
  const [asking, setAsking] = useState(false);
  const remove = () =>
    void attempt(async () => {
      await client.rest('DELETE /api/servers/:id/emoji/:emojiId', { id: server.id, emojiId: emoji.id });
      await ownEmoji.load(server.id);
    });
  return (
    <Row
      name={`:${emoji.name}:`}
      picture={
        <span aria-hidden="true">
          <OwnEmojiPicture {...emoji} />
        </span>
      }
    >
      <IconButton icon="trash" label={t('Remove {name}', { name: emoji.name })} onClick={() => setAsking(true)} />
      {asking && (
        <Confirm
          title={t('Remove :{name}:?', { name: emoji.name })}
          text={t('Messages and reactions show its name from then on.')}
          action={t('Remove')}
          onClose={() => setAsking(false)}
          onConfirm={remove}
        />
      )}
    </Row>
  );
}

function NewEmoji({ server }: { server: ServerRecord }) {
  const { t } = useTexts();
  const { client, pictures, ownEmoji, showToast } = useApp();
  const [picture, setPicture] = useState<File | null>(null);
  const add = async ({ text }: Fields) => {
    if (!picture) throw new Error(t('Choose a picture first.'));
    const name = text('name').toLowerCase().replaceAll(':', '');
    const url = await pictures.upload(picture, 'emoji');
    await client.rest('POST /api/servers/:id/emoji', { id: server.id, body: { name, url } });
    await ownEmoji.load(server.id);
    setPicture(null);
    showToast(t(':{name}: was added.', { name }));
  };
  return (
    <Block title={t('New emoji')} about={t('A picture of any size, which may move. It is shown in up to 128 pixels.')}>
      <Form action={t('Add')} work={add} clear>
        <Field label={t('Name')} name="name" maxlength={30} hint={t('Lowercase letters, digits, _ and -.')} required />
        <span class="picture-buttons">
          <label class="button quiet upload">
            {picture ? picture.name : t('Choose a picture')}
            <input
              type="file"
              class="hidden"
              aria-label={t('Choose a picture')}
              accept={accepted}
              onChange={({ currentTarget }) => {
                setPicture(currentTarget.files?.[0] ?? null);
                currentTarget.value = '';
              }}
            />
          </label>
        </span>
      </Form>
    </Block>
  );
}
