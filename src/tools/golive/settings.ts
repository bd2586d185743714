import type { AddedSettings } from '../../config/settings.ts';

export const SETTINGS: AddedSettings = {
  golive: {
    kind: 'flag',
    about: 'Whether requests and webhooks are observed for the go-live report',
    default: 'true',
  },
};

/** The settings of `createSandbox()` that tools add. */
export interface GoliveSettings {
  /** False observes nothing for the go-live report. */
  golive?: boolean | undefined;
}
