import { useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import type { Texts } from '../../state/texts.ts';
import { Form } from '../parts/Form.tsx';
import { Block } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';

type MailTrial = RestAnswer<'POST /api/operator/trials/mail'>;
type PushTrial = RestAnswer<'POST /api/operator/trials/push'>[number];

const mailProblems: Record<NonNullable<MailTrial['problem']>, Message> = {
  'unknown-host': 'The name of the mail server is unknown. Check SMTP_URL and the DNS of this machine.',
  'not-reachable': 'The mail server does not answer. Check host and port in SMTP_URL, and the firewall.',
  'timed-out': 'The mail server did not answer in time. Many providers block port 25; try 587 or 465.',
  certificate: 'The connection could not be encrypted: smtps:// is for port 465, smtp:// for the others.',
  'sign-in': 'The mail server refused the name or password in SMTP_URL.',
  sender: 'The mail server refused the sender. Check MAIL_FROM.',
  recipient: 'The mail server refused your address.',
  refused: 'The mail server refused the mail.',
  outbox: 'The mail could not be written to the folder of outgoing mail. Check DATA_DIR.',
  other: 'The mail could not be handed over.',
};

const pushOutcomes: Record<PushTrial['outcome'], Message> = {
  sent: 'The push service accepted it.',
  gone: 'The push service no longer knows this device. Turn push notifications off and on again there.',
  outdated: 'It was subscribed with an earlier key. Turn push notifications off and on again there.',
  refused: 'The push service could not be reached, or refused it for now.',
  failed: 'The push service refused it.',
};

/** Whether what this installation sends arrives. */
export function Trials() {
  return (
    <>
      <MailTrialBlock />
      <PushTrialBlock />
    </>
  );
}

function MailTrialBlock() {
  const texts = useTexts();
  const { t } = texts;
  const { client } = useApp();
  const [told, setTold] = useState<MailTrial | null>(null);
  return (
    <Block title={t('Mail')} about={t('Sends a mail to your own address, and says what the mail server answers.')}>
      <Form action={t('Send a mail')} work={async () => setTold(await client.rest('POST /api/operator/trials/mail'))} />
      <div role="status">{told && <Told ok={told.ok} text={mailText(texts, told)} detail={told.detail} />}</div>
    </Block>
  );
}

function mailText({ t }: Texts, { ok, to, by, problem }: MailTrial): string {
  if (!ok) return t(mailProblems[problem ?? 'other']);
  return by === 'smtp'
    ? t('The mail server accepted a mail to {address}. Check the mailbox, and its spam folder.', {
        address: to,
      })
    : t('Written to the folder of outgoing mail, since SMTP_URL is not set: nobody gets mail.');
}

function PushTrialBlock() {
  const { t } = useTexts();
  const { client } = useApp();
  const [told, setTold] = useState<PushTrial[] | null>(null);
  return (
    <Block
      title={t('Push notifications')}
      about={t('Sends a push notification to all your devices, and shows what their push services answer.')}
    >
      <Form action={t('Push')} work={async () => setTold(await client.rest('POST /api/operator/trials/push'))} />
      <div role="status">
        {told?.length === 0 && (
          <p>{t('Push notifications are off on all your devices. Turn them on in your settings first.')}</p>
        )}
        {told?.map(({ sessionId, device, outcome, detail }) => (
          <Told
            key={sessionId}
            ok={outcome === 'sent'}
            text={`${device ?? t('Unknown device')}: ${t(pushOutcomes[outcome])}`}
            detail={detail}
          />
        ))}
      </div>
    </Block>
  );
}

/** How it went, with the words of whoever said so. */
function Told({ ok, text, detail }: { ok: boolean; text: string; detail: string | null }) {
  return (
    <>
      <p class={ok ? 'outcome' : 'outcome bad'}>{text}</p>
      {detail && (
        <pre class="words" dir="ltr">
          {detail}
        </pre>
      )}
    </>
  );
}
