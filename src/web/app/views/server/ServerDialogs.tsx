import { useState } from 'preact/hooks';
import type { ServerRecord } from '../../../../client/index.ts';
import { go, pathTo } from '../../state/router.ts';
import { createChannel, createServer, leaveServer } from '../../state/servers.ts';
import { attempt, tell } from '../../state/toasts.ts';
import { Confirm, Dialog } from '../parts/Dialog.tsx';
import { Field } from '../parts/Field.tsx';

/** Runs a dialog's form; it closes when the work is done. */
function useForm(work: (form: FormData) => Promise<void>, onClose: () => void) {
  const [busy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const form = new FormData(event.currentTarget);
    setBusy(true);
    if (await attempt(() => work(form))) onClose();
    setBusy(false);
  };
  return { busy, submit };
}

const textOf = (form: FormData, name: string): string => String(form.get(name) ?? '').trim();

export function CreateServer({ onClose }: { onClose(): void }) {
  const { busy, submit } = useForm(async (form) => {
    const server = await createServer({ name: textOf(form, 'name'), isPublic: form.has('isPublic') });
    go(pathTo.server(server.id));
  }, onClose);
  return (
    <Dialog title="Create a server" onClose={onClose}>
      <form onSubmit={submit}>
        <Field label="Name" name="name" autocomplete="off" maxlength={100} required autofocus />
        <label class="check">
          <input type="checkbox" name="isPublic" /> Anyone may find and join it
        </label>
        <footer>
          <button type="submit" class="button" disabled={busy}>
            Create
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

export function CreateChannel({ serverId, onClose }: { serverId: string; onClose(): void }) {
  const { busy, submit } = useForm(async (form) => {
    const channel = await createChannel(serverId, textOf(form, 'name'));
    go(pathTo.channel(serverId, channel.id));
  }, onClose);
  return (
    <Dialog title="Create a channel" onClose={onClose}>
      <form onSubmit={submit}>
        <Field label="Name" name="name" autocomplete="off" maxlength={100} required autofocus />
        <footer>
          <button type="submit" class="button" disabled={busy}>
            Create
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

export function ServerMenu({ server, onClose }: { server: ServerRecord; onClose(): void }) {
  const [leaving, setLeaving] = useState(false);
  const link = server.inviteCode ? location.origin + pathTo.invite(server.inviteCode) : null;
  const copy = () =>
    attempt(async () => {
      await navigator.clipboard.writeText(link ?? '');
      tell('The link is copied.');
    });
  const leave = () =>
    attempt(async () => {
      await leaveServer(server.id);
      go('/app/friends');
    });
  if (leaving) {
    return (
      <Confirm
        title={`Leave ${server.name}?`}
        text="You come back only with an invitation, unless the server is public."
        action="Leave"
        onClose={onClose}
        onConfirm={() => void leave()}
      />
    );
  }
  return (
    <Dialog title={server.name} onClose={onClose}>
      {server.description && <p>{server.description}</p>}
      <p class="faint">
        {server.memberCount} {server.memberCount === 1 ? 'member' : 'members'}
      </p>
      {link && (
        <div class="field">
          <label for="invite-link">Invite people with this link</label>
          <input id="invite-link" readOnly value={link} onFocus={(event) => event.currentTarget.select()} />
        </div>
      )}
      <footer>
        {server.role !== 'owner' && (
          <button type="button" class="button danger" onClick={() => setLeaving(true)}>
            Leave
          </button>
        )}
        {link && navigator.clipboard && (
          <button type="button" class="button" onClick={() => void copy()}>
            Copy link
          </button>
        )}
      </footer>
    </Dialog>
  );
}
