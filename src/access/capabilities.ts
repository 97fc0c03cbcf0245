import type { Actor } from '../contract/actor.ts';
import { AppError } from '../contract/errors.ts';
import { operatorCapability } from '../contract/operator.ts';
import type { Settings } from '../settings/settings.ts';

/** A user's membership, as clients are shown it (contract §3). */
export interface Membership {
  status: string;
  tier: { id: string; level: number; label: string; capabilities: string[] };
  level: number;
  isMember: boolean;
  capabilities: string[];
}

/** What the tiers allow: the only place where capabilities are checked. */
export class Capabilities {
  private readonly tiers: Settings['accounts']['tiers'];

  constructor(tiers: Settings['accounts']['tiers']) {
    this.tiers = tiers;
  }

  /** @param isOperator whether they operate the installation, which no tier allows (contract §3) */
  membership(tierId: string, isOperator = false): Membership {
    const tier = this.tiers.find((candidate) => candidate.id === tierId) ?? this.tiers[0];
    if (!tier) throw new Error('There are no membership tiers.');
    const capabilities = [...tier.capabilities, ...(isOperator ? [operatorCapability] : [])];
    return { status: tier.id, tier, level: tier.level, isMember: tier.level > 0, capabilities };
  }

  /** @throws AppError INVITE_REQUIRED, naming the capability and carrying the membership (contract §2); FORBIDDEN for bots */
  require(actor: Actor, capability: string): void {
    if (actor.user.isBot) throw new AppError('FORBIDDEN', { message: 'Bots have no capabilities.' });
    this.requireOf(actor.tier, capability);
  }

  /** The same for a user other than the caller, by tier. @throws AppError INVITE_REQUIRED */
  requireOf(tierId: string, capability: string): void {
    const membership = this.membership(tierId);
    if (membership.capabilities.includes(capability)) return;
    throw new AppError('INVITE_REQUIRED', {
      message: `This needs the capability "${capability}"; redeem an invite code to unlock it.`,
      extra: { capability, membership },
    });
  }
}
