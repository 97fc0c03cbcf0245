import { useEffect, useRef } from 'preact/hooks';
import type { RestAnswer, ServerRecord } from '../../../../client/index.ts';
import { saidIn } from '../../../../contract/quote.ts';
import type { Texts } from '../../state/texts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Folding } from '../parts/Folding.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block } from '../parts/Page.tsx';
import { Text } from '../parts/text.tsx';
import { Attachments } from '../talk/Attachments.tsx';
import { Forwarded } from '../talk/Forwarded.tsx';
import { useApp, useTexts } from '../useApp.ts';

type Item = RestAnswer<'GET /api/servers/:id/held'>[number];
type Decide = (item: Item, decision: 'approve' | 'reject') => void;

/** What filters hold, kept up to date. A and R decide about the one that the focus is in. */
export function HeldQueue({ server }: { server: ServerRecord }) {
  const { t } = useTexts();
  const { client, attempt } = useApp();
  const { id } = server;
  const {
    value: list,
    load,
    after,
  } = useLoaded(() => client.rest('GET /api/servers/:id/held', { id, query: { limit: 100 } }), [id]);
  useEffect(() => {
    const changed = ({ serverId }: { serverId: string }) => {
      if (serverId === id) void attempt(load);
    };
    const off = [client.on('held:created', changed), client.on('held:decided', changed)];
    return () => {
      for (const end of off) end();
    };
  }, [id]);
  const decided = useRef(new Set<string>());
  const decide: Decide = ({ heldId }, decision) => {
    if (decided.current.has(heldId)) return;
    decided.current.add(heldId);
    const call = decision === 'approve' ? 'POST /api/held/:id/approve' : 'POST /api/held/:id/reject';
    const again = () => void decided.current.delete(heldId);
    after(() => client.rest(call, { id: heldId }).finally(again));
  };
  return (
    <Block
      title={t('Held messages')}
      about={t('They wait until a moderator approves or rejects them. With one focused, press A or R.')}
    >
      {list?.length === 0 && <p class="empty">{t('Nothing is waiting.')}</p>}
      <ol class="held">
        {list?.map((item) => (
          <HeldItem key={item.heldId} item={item} onDecide={decide} />
        ))}
      </ol>
    </Block>
  );
}

function HeldItem({ item, onDecide }: { item: Item; onDecide: Decide }) {
  const texts = useTexts();
  const { fullTime, t } = texts;
  const { servers } = useApp();
  const ref = useRef<HTMLLIElement>(null);
  const channel = servers.channels.value.get(item.serverId)?.find(({ id }) => id === item.channelId);
  const decide = (decision: 'approve' | 'reject') => {
    const next = ref.current?.nextElementSibling ?? ref.current?.previousElementSibling;
    next?.querySelector<HTMLElement>('footer button')?.focus();
    onDecide(item, decision);
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || item.isOwn) return;
    // The pictures of it open over it.
    if (event.target instanceof Element && event.target.closest('dialog')) return;
    if (event.key === 'a') decide('approve');
    if (event.key === 'r') decide('reject');
  };
  const own = saidIn({ content: item.content, poll: item.poll, components: item.components });
  const about = t('{name} in #{channel}', { name: item.author.displayName, channel: channel?.name ?? '' });
  return (
    <li ref={ref} aria-label={`${about}: ${saidIn(item)}`} onKeyDown={press}>
      <Avatar user={item.author} size="small" />
      <div>
        <p class="faint">
          {about}, {fullTime(item.createdAt)}: {reasonOf(texts, item)}
        </p>
        {item.previousContent !== null && <del class="text">{item.previousContent}</del>}
        <Folding content={own}>
          <div class="text">
            <Text content={own} />
          </div>
        </Folding>
        <Forwarded message={item} />
        <Attachments list={item.attachments} />
        {item.metadata && <pre class="text">{JSON.stringify(item.metadata, null, 2)}</pre>}
        {item.isOwn ? (
          <p class="hint">{t('You cannot decide about your own messages or those of your bots.')}</p>
        ) : (
          <footer>
            <Button label={t('Approve')} onClick={() => decide('approve')} />
            <Button label={t('Reject')} kind="quiet" onClick={() => decide('reject')} />
          </footer>
        )}
      </div>
    </li>
  );
}

function reasonOf({ t }: Texts, { kind, reason, pattern }: Item): string {
  if (reason === 'new-member-link') return t('a link of a new member');
  return kind === 'edit'
    ? t('a change with “{pattern}”', { pattern: pattern ?? '' })
    : t('has “{pattern}”', { pattern: pattern ?? '' });
}
