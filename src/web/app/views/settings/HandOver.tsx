import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Handover } from '../../state/handovers.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { type Option, Select } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { Block, Row } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';

/** Loads the offers while something is shown that needs them. */
function useOffers() {
  const { connection, handovers } = useApp();
  useEffect(() => connection.load(() => handovers.load()), []);
  return handovers;
}

interface HandOverProps {
  title: string;
  /** What it means for both. */
  about: string;
  /** Exactly one of them. */
  what: { serverId: string } | { agentId: string };
  people: readonly Option[];
  /** Shown where there is nobody to choose. */
  nobody: string;
}

/** Hands something over: an offer, which the user may take back until it is accepted. */
export function HandOver({ title, about, what, people, nobody }: HandOverProps) {
  const { t } = useTexts();
  const handovers = useOffers();
  const id = 'serverId' in what ? what.serverId : what.agentId;
  const open = handovers.sent.value.find(({ serverId, agentId }) => (serverId ?? agentId) === id);
  if (open) {
    return (
      <Block title={title} about={about}>
        <ul class="people">
          <Offer offer={open} who={open.to}>
            <Withdraw offer={open} />
          </Offer>
        </ul>
      </Block>
    );
  }
  if (people.length === 0) {
    return (
      <Block title={title} about={about}>
        <p class="empty">{nobody}</p>
      </Block>
    );
  }
  const offer = ({ text }: Fields) => handovers.offer({ ...what, userId: text('userId') });
  return (
    <Form class="block" action={t('Offer')} work={offer}>
      <h2>{title}</h2>
      <p class="faint">{about}</p>
      <Select label={t('New owner')} name="userId" options={people} hint={t('They have a week to accept.')} />
    </Form>
  );
}

interface OfferProps {
  offer: Handover;
  /** The other one. */
  who: Handover['to'];
  children: ComponentChildren;
}

function Offer({ offer, who, children }: OfferProps) {
  const { shortTime, t } = useTexts();
  return (
    <Row
      picture={<Avatar user={who} />}
      name={who.displayName}
      about={t('{name} · until {time}', { name: offer.name, time: shortTime(offer.expiresAt) })}
    >
      {children}
    </Row>
  );
}

function Withdraw({ offer }: { offer: Handover }) {
  const { t } = useTexts();
  const { attempt, handovers } = useApp();
  return <Button label={t('Withdraw')} kind="quiet" onClick={() => void attempt(() => handovers.withdraw(offer.id))} />;
}

/** What others offer to the user; nothing without any. */
export function ReceivedOffers() {
  const { t } = useTexts();
  const { attempt } = useApp();
  const handovers = useOffers();
  const list = handovers.received.value;
  if (list.length === 0) return null;
  const answer = (offer: Handover, accept: boolean) => void attempt(() => handovers.answer(offer.id, accept));
  return (
    <Block
      title={t('Offered to you · {count}', { count: list.length })}
      about={t('If you accept, you own it from then on. A bot needs a new token, which you create in its settings.')}
    >
      <ul class="people">
        {list.map((offer) => (
          <Offer key={offer.id} offer={offer} who={offer.from}>
            <Button label={t('Accept {name}', { name: offer.name })} onClick={() => answer(offer, true)} />
            <Button
              label={t('Decline {name}', { name: offer.name })}
              kind="quiet"
              onClick={() => answer(offer, false)}
            />
          </Offer>
        ))}
      </ul>
    </Block>
  );
}
