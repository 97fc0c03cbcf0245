import { useState } from 'preact/hooks';
import type { MessageInput } from '../../../../client/index.ts';
import { IconButton } from '../parts/Button.tsx';
import { lazyDialog } from '../parts/lazy.tsx';
import { useTexts } from '../useApp.ts';

const PollDialog = lazyDialog(() => import('./PollDialog.tsx').then((part) => part.PollDialog));

/** A button for a new poll. */
export function AskPoll({ onAsk }: { onAsk(poll: NonNullable<MessageInput['poll']>): void }) {
  const { t } = useTexts();
  const [open, setOpen] = useState(false);
  return (
    <>
      <IconButton icon="poll" label={t('New poll')} onClick={() => setOpen(true)} />
      {open && <PollDialog onAsk={onAsk} onClose={() => setOpen(false)} />}
    </>
  );
}
