import { useState } from 'preact/hooks';
import type { Message } from '../../../../client/index.ts';
import { findDestinations } from '../../state/destinations.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Text } from '../parts/text.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { Attachments } from './Attachments.tsx';
import { AuthorButton } from './AuthorButton.tsx';
import { PlaceLink, usePreview } from './LinkedMessages.tsx';

/** What a message forwards; where it is from, for those who may read it there. */
export function Forwarded({ message }: { message: Pick<Message, 'forwarded'> }) {
  return message.forwarded ? <Copy forwarded={message.forwarded} /> : null;
}

function Copy({ forwarded }: { forwarded: NonNullable<Message['forwarded']> }) {
  const { fullTime, rich, shortTime, t } = useTexts();
  const { messageId, author, content, attachments, mentions, createdAt, isWithdrawn } = forwarded;
  const place = usePreview(messageId);
  return (
    <blockquote class="quoted" aria-label={t('Forwarded from {name}', { name: author.displayName })}>
      <p class="faint">
        <Icon name="forward" /> {rich('Forwarded from {name}', { name: <AuthorButton author={author} /> })}{' '}
        <time dateTime={createdAt} title={fullTime(createdAt)}>
          {shortTime(createdAt)}
        </time>{' '}
        {place && <PlaceLink preview={place} />}
      </p>
      <div class="text">
        {isWithdrawn ? (
          <span class="faint">{t('The message was erased.')}</span>
        ) : (
          <Text content={content} mentions={mentions} />
        )}
      </div>
      <Attachments list={attachments} />
    </blockquote>
  );
}

/** Asks where to forward a message to. */
export function ForwardDialog({ message, onClose }: { message: Message; onClose(): void }) {
  const { t } = useTexts();
  const { client, destinations, showToast } = useApp();
  const [typed, setTyped] = useState('');
  const list = findDestinations(
    destinations.value.filter(({ channelId }) => channelId !== null),
    typed,
  );
  const forward = async ({ text }: Fields) => {
    const channelId = text('to');
    if (channelId === '') throw new Error(t('Choose where to forward it to.'));
    const to = destinations.peek().find((one) => one.channelId === channelId);
    onClose();
    await client.channel(channelId).send({ content: text('comment'), forwardId: message.id });
    showToast(t('The message is forwarded.'), 'good', to?.href);
  };
  return (
    <Dialog title={t('Forward the message')} onClose={onClose}>
      <Form action={t('Forward')} work={forward}>
        <Field label={t('Find a channel or a person')} name="sought" onInput={setTyped} autofocus />
        <fieldset class="choices">
          <legend class="hidden">{t('Where to')}</legend>
          {list.map(({ channelId, name, about }) => (
            <label key={channelId} class="check">
              <input type="radio" name="to" value={channelId ?? ''} />
              <span>
                {name} <span class="faint">{about}</span>
              </span>
            </label>
          ))}
          {list.length === 0 && <p class="empty">{t('Nothing has this name.')}</p>}
        </fieldset>
        <Field label={t('Comment')} name="comment" maxlength={4000} />
      </Form>
    </Dialog>
  );
}
