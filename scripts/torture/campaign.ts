/** How hard a campaign tries: `short` belongs to `npm test`, `full` to `npm run torture`. */
export type Size = 'short' | 'full';

export interface CampaignOptions {
  /** Decides what is sent and when; timing on the machine adds its own chance. */
  seed: number;
  size: Size;
}

export interface CampaignResult {
  /** What was done, by name. */
  figures: Record<string, number | string>;
  /** What was wrong, one sentence each; empty when every promise held. */
  findings: string[];
  /** Why nothing could be done here. */
  skipped?: string;
}

export interface Campaign {
  name: string;
  run(options: CampaignOptions): Promise<CampaignResult>;
}
