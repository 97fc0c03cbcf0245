import type { Task } from '../frame/Switcher.tsx';
import { NewMessage } from '../people/NewMessage.tsx';
import { StatusDialog } from '../people/StatusDialog.tsx';
import { CreateChannel } from '../server/ChannelDialogs.tsx';
import { CreateServer } from '../server/CreateServer.tsx';
import { InvitePeople } from '../server/InvitePeople.tsx';
import { useApp } from '../useApp.ts';

/** What was begun in the switcher. */
export function TaskDialog({ task, onClose }: { task: Task; onClose(): void }) {
  const server = useApp().servers.current.value;
  switch (task) {
    case 'message':
      return <NewMessage onClose={onClose} />;
    case 'server':
      return <CreateServer onClose={onClose} />;
    case 'status':
      return <StatusDialog onClose={onClose} />;
    case 'channel':
      return server && <CreateChannel serverId={server.id} onClose={onClose} />;
    case 'invite':
      return server && <InvitePeople server={server} onClose={onClose} />;
  }
}
