import { useState } from 'preact/hooks';
import type { MessageInput } from '../../../../client/index.ts';
import { IconButton } from '../parts/Button.tsx';
import { useTexts } from '../useApp.ts';
import { PollDialog } from './PollDialog.tsx';

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
