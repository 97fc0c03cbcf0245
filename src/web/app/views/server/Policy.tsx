import type { RestAnswer } from '../../../../client/index.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import type { Texts } from '../../state/texts.ts';
import { Check, type Option, Select } from '../parts/Field.tsx';
import { Row } from '../parts/Page.tsx';
import { useTexts } from '../useApp.ts';

type Effective = RestAnswer<'GET /api/agents/:id/config'>['servers'][number]['defaultPolicy'];

/** Which messages a bot receives, and whether it may send any. */
export type Policy = Pick<Effective, 'mode' | 'reply' | 'mentionOnly' | 'listen'>;

const modes: { value: Policy['mode']; label: Message; about: Message }[] = [
  { value: 'replyAll', label: 'Receives and answers everything', about: 'It receives every message.' },
  { value: 'mentionOnly', label: 'Only when it is mentioned', about: 'It receives mentions of it and replies to it.' },
  { value: 'disabled', label: 'Only reads', about: 'It receives every message, and may not write.' },
  { value: 'custom', label: 'Custom', about: 'As set below.' },
];

interface PolicyRowProps {
  name: string;
  policy: Policy;
  /** Whether it was set here, not inherited. */
  isOwn: boolean;
  /** The other half: what the bot's owner or the server's admins have set. */
  other?: string | null;
  /** Label of the choice to inherit, where there is one. */
  fallback?: string;
  /** @param policy null: inherit */
  onChange(policy: Partial<Policy> | null): void;
}

/** The policy where none is set. */
export const openPolicy: Policy = { mode: 'replyAll', reply: true, mentionOnly: false, listen: true };

/** Describes one half of a policy to the side that sets the other. The stricter one applies. */
export function describePolicy({ t }: Texts, who: string, half: Policy | null | undefined): string | null {
  if (!half) return null;
  const mode = modes.find(({ value }) => value === half.mode);
  const chosen = mode ? t(mode.label) : half.mode;
  const what = half.listen ? chosen : t('{what}, receives nothing', { what: chosen });
  return t('{who}: {what}; the stricter one applies.', { who, what });
}

/** A bot's policy in one place, with controls to change it. */
export function PolicyRow({ name, policy, isOwn, other, fallback, onChange }: PolicyRowProps) {
  const { labelled, t } = useTexts();
  const inherited: Option[] = fallback ? [{ value: 'inherit', label: fallback }] : [];
  const choose = (value: string) => {
    const mode = modes.find((one) => one.value === value)?.value;
    if (!mode) return onChange(null);
    const { reply, mentionOnly, listen } = policy;
    onChange(mode === 'custom' ? { mode, reply, mentionOnly, listen } : { mode });
  };
  const mode = modes.find(({ value }) => value === policy.mode);
  return (
    <Row name={name} about={[mode && t(mode.about), other].filter(Boolean).join(' ')}>
      <Select
        bare
        label={t('Policy for {name}', { name })}
        value={isOwn || !fallback ? policy.mode : 'inherit'}
        options={[...inherited, ...labelled(modes)]}
        onChange={choose}
      />
      {isOwn && policy.mode === 'custom' && <Flags policy={policy} onChange={onChange} />}
    </Row>
  );
}

const flags: readonly { flag: 'listen' | 'mentionOnly' | 'reply'; label: Message }[] = [
  { flag: 'listen', label: 'Receives messages' },
  { flag: 'mentionOnly', label: 'only those that mention it' },
  { flag: 'reply', label: 'May write' },
];

function Flags({ policy, onChange }: { policy: Policy; onChange(policy: Partial<Policy>): void }) {
  const { t } = useTexts();
  return (
    <span class="flags">
      {flags.map(({ flag, label }) => (
        <Check
          key={flag}
          label={t(label)}
          checked={policy[flag]}
          onChange={(checked) => {
            const { reply, mentionOnly, listen } = policy;
            onChange({ mode: 'custom', reply, mentionOnly, listen, [flag]: checked });
          }}
        />
      ))}
    </span>
  );
}
