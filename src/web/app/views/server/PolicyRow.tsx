import type { RestAnswer } from '../../../../client/index.ts';
import { Check, type Option, Select } from '../parts/Field.tsx';
import { Row } from '../parts/Row.tsx';

type Effective = RestAnswer<'GET /api/agents/:id/config'>['servers'][number]['defaultPolicy'];

/** What a bot may hear and say. */
export type Policy = Pick<Effective, 'mode' | 'reply' | 'mentionOnly' | 'listen'>;

const modes: { value: Policy['mode']; label: string; about: string }[] = [
  { value: 'replyAll', label: 'Hears and answers all', about: 'It gets every message.' },
  { value: 'mentionOnly', label: 'Only when it is mentioned', about: 'It gets what mentions or answers it.' },
  { value: 'disabled', label: 'Only listens', about: 'It gets every message, and may not write.' },
  { value: 'custom', label: 'Custom', about: 'As chosen.' },
];

interface PolicyRowProps {
  name: string;
  policy: Policy;
  /** Whether it was set for this very place. */
  isOwn: boolean;
  /** What the other side, the bot's owner or the server's admins, has set. */
  other?: string | null;
  /** What the choice of setting nothing here is called, where there is one. */
  fallback?: string;
  /** @param policy null: nothing of its own any more */
  onChange(policy: Partial<Policy> | null): void;
}

/** Where nothing is set. */
export const openPolicy: Policy = { mode: 'replyAll', reply: true, mentionOnly: false, listen: true };

/** What one side has set, for the other: of both the stricter holds. */
export function saidBy(who: string, half: Policy | null | undefined): string | null {
  if (!half) return null;
  const label = modes.find(({ value }) => value === half.mode)?.label ?? half.mode;
  return `${who}: ${label.toLowerCase()}${half.listen ? '' : ', hears nothing'}; the stricter holds.`;
}

/** What holds for a bot in one place, to be chosen. */
export function PolicyRow({ name, policy, isOwn, other, fallback, onChange }: PolicyRowProps) {
  const inherited: Option[] = fallback ? [{ value: 'inherit', label: fallback }] : [];
  const choose = (value: string) => {
    const mode = modes.find((one) => one.value === value)?.value;
    if (!mode) return onChange(null);
    const { reply, mentionOnly, listen } = policy;
    onChange(mode === 'custom' ? { mode, reply, mentionOnly, listen } : { mode });
  };
  const about = modes.find(({ value }) => value === policy.mode)?.about;
  return (
    <Row name={name} about={[about, other].filter(Boolean).join(' ')}>
      <Select
        bare
        label={`Policy for ${name}`}
        value={isOwn || !fallback ? policy.mode : 'inherit'}
        options={[...inherited, ...modes]}
        onChange={choose}
      />
      {isOwn && policy.mode === 'custom' && <Flags policy={policy} onChange={onChange} />}
    </Row>
  );
}

const flags = [
  { flag: 'listen', label: 'Hears messages' },
  { flag: 'mentionOnly', label: 'only those that mention it' },
  { flag: 'reply', label: 'May write' },
] as const;

function Flags({ policy, onChange }: { policy: Policy; onChange(policy: Partial<Policy>): void }) {
  return (
    <span class="flags">
      {flags.map(({ flag, label }) => (
        <Check
          key={flag}
          label={label}
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
