import { useState } from 'preact/hooks';
import type { Message } from '../../../../client/index.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Text } from '../parts/text.tsx';
import { useApp, useTexts } from '../useApp.ts';

/** Says that a message was edited. For those who may it opens what the message said before. */
export function Edited({ message }: { message: Message }) {
  const { t } = useTexts();
  const { servers, rights, me } = useApp();
  const server = servers.current.value;
  const [open, setOpen] = useState(false);
  if (!message.isEdited) return null;
  const mayRead = message.authorId === me.value?.id || rights.may(server, 'history:read');
  if (!server?.keepEditHistory || !mayRead) return <span class="edited"> {t('(edited)')}</span>;
  return (
    <>
      {' '}
      <button type="button" class="link edited" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {t('(edited)')}
      </button>
      {open && <History message={message} onClose={() => setOpen(false)} />}
    </>
  );
}

function History({ message, onClose }: { message: Message; onClose(): void }) {
  const { fullTime, t } = useTexts();
  const { client } = useApp();
  const { id, updatedAt } = message;
  const { value } = useLoaded(() => client.rest('GET /api/messages/:id/history', { id }), [id, updatedAt]);
  return (
    <Dialog title={t('Earlier versions')} onClose={onClose}>
      {!value && <p class="faint">{t('One moment…')}</p>}
      {value?.length === 0 && <p class="faint">{t('No earlier versions of this message are kept.')}</p>}
      <ol class="versions">
        {value?.toReversed().map(({ version, content, editedAt }) => (
          <li key={version} value={version}>
            <p class="faint">{t('Until {time}', { time: fullTime(editedAt) })}</p>
            <div class="text">
              {content === '' ? <span class="faint">{t('No text')}</span> : <Text content={content} />}
            </div>
          </li>
        ))}
      </ol>
    </Dialog>
  );
}
