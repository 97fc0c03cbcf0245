import { useState } from 'preact/hooks';
import type { Message } from '../../../../client/index.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Said } from '../people/Said.tsx';
import { useApp, useTexts } from '../useApp.ts';

type Author = Message['author'];

/** The name of a user; it opens a card with actions. */
export function AuthorButton({ author }: { author: Author }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="author name" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {author.displayName}
      </button>
      {open && <Card author={author} onClose={() => setOpen(false)} />}
    </>
  );
}

function Card({ author, onClose }: { author: Author; onClose(): void }) {
  const { t } = useTexts();
  const { me } = useApp();
  const { id, username, displayName, isBot } = author;
  return (
    <Dialog title={displayName} onClose={onClose}>
      <p class="card-head">
        <Avatar user={author} present />
        <span class="faint">
          @{username}
          {isBot && ` · ${t('bot')}`}
        </span>
      </p>
      <Said userId={id} />
      {id !== me.value?.id && <CardActions author={author} onClose={onClose} />}
    </Dialog>
  );
}

function CardActions({ author, onClose }: { author: Author; onClose(): void }) {
  const { t } = useTexts();
  const { people, attempt, showToast } = useApp();
  const { id, username, isBot } = author;
  const isFriend = people.friends.value.some(({ friendId }) => friendId === id);
  const act = (work: () => Promise<unknown>) => () => {
    onClose();
    void attempt(work);
  };
  const ask = () => people.requestFriend(username).then(() => showToast(t('Your request is on its way.')));
  return (
    <footer>
      <Button label={t('Block')} kind="danger" onClick={act(() => people.blockWithToast(author))} />
      {!isFriend && !isBot && <Button label={t('Add friend')} kind="quiet" onClick={act(ask)} />}
      <Button label={t('Message')} onClick={act(() => people.talkTo(id))} />
    </footer>
  );
}
