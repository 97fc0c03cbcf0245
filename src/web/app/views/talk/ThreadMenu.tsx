import { useState } from 'preact/hooks';
import type { ThreadRecord } from '../../../../client/index.ts';
import { me, parley } from '../../state/client.ts';
import { go, pathTo } from '../../state/router.ts';
import { currentServer, isAtLeast } from '../../state/servers.ts';
import { attempt } from '../../state/toasts.ts';
import { Confirm, Dialog } from '../parts/Dialog.tsx';
import { Field } from '../parts/Field.tsx';
import { Form } from '../parts/Form.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Menu } from '../parts/Menu.tsx';

interface ThreadMenuProps {
  thread: ThreadRecord;
  onChange(thread: ThreadRecord): void;
}

/** What its creator and moderators can do with a thread. */
export function ThreadMenu({ thread, onChange }: ThreadMenuProps) {
  const [asking, setAsking] = useState<'rename' | 'delete' | null>(null);
  if (thread.creatorId !== me.value?.id && !isAtLeast(currentServer.value?.role, 'moderator')) return null;
  const { id, channelId, isArchived } = thread;
  const change = async (body: { name?: string; isArchived?: boolean }) =>
    onChange(await parley.rest('PATCH /api/threads/:id', { id, body }));
  const remove = () =>
    attempt(async () => {
      await parley.rest('DELETE /api/threads/:id', { id });
      go(pathTo.channel(currentServer.value?.id ?? null, channelId));
    });
  const archive = () => void attempt(() => change({ isArchived: !isArchived }));
  const close = () => setAsking(null);
  return (
    <>
      <Menu
        label="Thread menu"
        items={[
          { label: 'Rename', icon: 'edit', run: () => setAsking('rename') },
          { label: isArchived ? 'Bring back' : 'Archive', icon: 'archive', run: archive },
          { label: 'Delete', icon: 'trash', danger: true, run: () => setAsking('delete') },
        ]}
      >
        <Icon name="more" />
      </Menu>
      {asking === 'rename' && <Rename name={thread.name} onName={(name) => change({ name })} onClose={close} />}
      {asking === 'delete' && (
        <Confirm
          title={`Delete ${thread.name}?`}
          text="The thread and all that was said in it go away for everyone. The message that it starts from stays."
          action="Delete"
          onClose={close}
          onConfirm={() => void remove()}
        />
      )}
    </>
  );
}

interface RenameProps {
  name: string;
  onName(name: string): Promise<void>;
  onClose(): void;
}

function Rename({ name, onName, onClose }: RenameProps) {
  return (
    <Dialog title="Rename the thread" onClose={onClose}>
      <Form action="Rename" work={({ text }) => onName(text('name')).then(onClose)}>
        <Field label="Name" name="name" maxlength={100} value={name} required autofocus />
      </Form>
    </Dialog>
  );
}
