import { useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import { Failure } from '../../state/toasts.ts';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { Block, Row } from '../parts/Page.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import type { Agent } from './Agents.tsx';

export type Context = RestAnswer<'GET /api/agents/:id/answers/:messageId/context'>;

const ids = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/gi;

/** Opens what an answer of a bot was made from. */
export function AgentAnswers({ agent }: { agent: Agent }) {
  const { t } = useTexts();
  const app = useApp();
  const [context, setContext] = useState<Context | null>(null);
  const open = async ({ text }: Fields) => {
    const id = text('link').match(ids)?.at(-1);
    if (!id) throw new Failure('This is not a link to a message.');
    setContext(await contextOf(app, agent.id, id));
  };
  return (
    <Block
      title={t('What it had read')}
      about={t('When it wrote a message that says what it answers. Its policy of then decides, not that of now.')}
    >
      <Form action={t('Show')} work={open}>
        <Field label={t('Link to a message of the bot')} name="link" maxlength={500} required />
      </Form>
      {context && (
        <ContextDialog key={context.messageId} agentId={agent.id} first={context} onClose={() => setContext(null)} />
      )}
    </Block>
  );
}

/** What a message of a bot was made from, for its owner. */
export function contextOf({ client }: AppState, id: string, messageId: string, before?: number): Promise<Context> {
  return client.rest('GET /api/agents/:id/answers/:messageId/context', { id, messageId, query: { before } });
}

interface ContextProps {
  agentId: string;
  first: Context;
  onClose(): void;
}

/** What an answer was made from, as the policy of then let the bot read it. */
export function ContextDialog({ agentId, first, onClose }: ContextProps) {
  const { t, fullTime } = useTexts();
  const app = useApp();
  const [context, setContext] = useState(first);
  const { messageId, messages, hasMore, before } = context;
  const more = (from: number) =>
    app.attempt(async () => {
      const next = await contextOf(app, agentId, messageId, from);
      setContext({ ...next, messages: [...messages, ...next.messages] });
    });
  return (
    <Dialog title={t('What it had read')} onClose={onClose}>
      {before !== null && <Button label={t('Show more')} kind="quiet" onClick={() => void more(before)} />}
      {messages.length === 0 && !hasMore && <p class="empty">{t('Nothing apart from its other instructions.')}</p>}
      <ul class="people">
        {messages.toReversed().map((message) => (
          <Row
            key={message.id}
            name={message.author.displayName}
            about={[
              message.content || t('no text'),
              fullTime(message.createdAt),
              message.changedSince && t('changed since'),
            ]
              .filter(Boolean)
              .join(' · ')}
          />
        ))}
      </ul>
    </Dialog>
  );
}
