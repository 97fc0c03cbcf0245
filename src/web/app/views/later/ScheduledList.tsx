import { useEffect, useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import { refusalText } from '../../state/toasts.ts';
import { Button, More } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Empty } from '../parts/Empty.tsx';
import { TextArea } from '../parts/Field.tsx';
import { Folding } from '../parts/Folding.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { Icon } from '../parts/Icon.tsx';
import { usePages } from '../parts/loading.ts';
import { Menu, type MenuItem } from '../parts/Menu.tsx';
import { chosenTime, TimeChoice } from '../parts/TimeChoice.tsx';
import { Text } from '../parts/text.tsx';
import { Attachments } from '../talk/Attachments.tsx';
import { maxLength } from '../talk/useComposer.ts';
import { useApp, useTexts } from '../useApp.ts';

type Scheduled = RestAnswer<'GET /api/scheduled-messages'>[number];

const pageSize = 50;

/** Scheduled messages in the order in which they are due, with those that were refused; kept up to date. */
export function ScheduledList() {
  const { t } = useTexts();
  const { client, attempt } = useApp();
  const { list, load, onMore } = usePages(
    pageSize,
    (known: readonly Scheduled[]) =>
      client.rest('GET /api/scheduled-messages', { query: { limit: pageSize, offset: known.length } }),
    [],
  );
  useEffect(() => {
    const again = () => void attempt(load);
    const off = [client.on('scheduled:updated', again), client.on('scheduled:removed', again)];
    return () => {
      for (const end of off) end();
    };
  }, []);
  return (
    <>
      {list?.length === 0 && (
        <Empty
          icon="clock"
          title={t('Nothing is scheduled')}
          about={t('To send a message later, press the clock beside the send button.')}
        />
      )}
      <ol class="held">
        {list?.map((one) => (
          <One key={one.id} one={one} />
        ))}
      </ol>
      {onMore && <More onMore={onMore} />}
    </>
  );
}

function One({ one }: { one: Scheduled }) {
  const texts = useTexts();
  const { rich, shortTime, t } = texts;
  const { client, attempt, destinations } = useApp();
  const [editing, setEditing] = useState(false);
  const { id, failure, status } = one;
  const there = destinations.value.find(({ channelId }) => channelId === one.channelId);
  const main = there?.name ?? t('a conversation you are no longer in');
  const place = one.threadId ? t('a thread in {place}', { place: main }) : main;
  const items: MenuItem[] = [
    {
      label: t('Send now'),
      icon: 'send',
      run: () => void attempt(() => client.rest('POST /api/scheduled-messages/:id/send', { id })),
    },
    {
      label: failure ? t('Discard') : t('Cancel'),
      icon: 'trash',
      danger: true,
      run: () => void attempt(() => client.rest('DELETE /api/scheduled-messages/:id', { id })),
    },
  ];
  return (
    <li aria-label={t('To {place}: {content}', { place, content: one.content })}>
      <Icon name={failure ? 'block' : 'clock'} />
      <div>
        <p class="faint">
          {rich(failure ? 'To {place}' : '{time} to {place}', {
            time: shortTime(one.sendAt),
            place: there ? <a href={there.href}>{place}</a> : place,
          })}
        </p>
        {failure && <p class="bad">{t('It was not sent: {message}', { message: refusalText(failure, texts) })}</p>}
        <Folding content={one.content}>
          <div class="text">
            <Text content={one.content} />
          </div>
        </Folding>
        <Attachments list={one.attachments} />
        {status === 'sending' ? (
          <p class="hint">{t('It is being sent.')}</p>
        ) : (
          <footer>
            <Button label={failure ? t('Schedule again') : t('Change')} kind="quiet" onClick={() => setEditing(true)} />
            <Menu label={t('More')} items={items}>
              <Icon name="more" />
            </Menu>
          </footer>
        )}
      </div>
      {editing && <EditDialog one={one} onClose={() => setEditing(false)} />}
    </li>
  );
}

function EditDialog({ one, onClose }: { one: Scheduled; onClose(): void }) {
  const texts = useTexts();
  const { t } = texts;
  const { client } = useApp();
  const { id, content, attachments, sendAt, failure } = one;
  const save = async (fields: Fields) => {
    const at = chosenTime(texts, fields, failure ? null : sendAt);
    // At a time that was set anew it would go out behind others of that time.
    const body = { content: fields.text('content'), ...(at === sendAt ? {} : { sendAt: at }) };
    await client.rest('PATCH /api/scheduled-messages/:id', { id, body });
    onClose();
  };
  return (
    <Dialog title={t('Scheduled message')} onClose={onClose}>
      <Form action={t('Save')} work={save}>
        <TextArea
          label={t('Message')}
          name="content"
          value={content}
          rows={5}
          maxlength={maxLength}
          required={attachments.length === 0}
        />
        <TimeChoice label={t('When')} value={failure ? null : sendAt} />
      </Form>
    </Dialog>
  );
}
