/** A workflow file that runs a test suite with a sandbox, by CI service. */
export const WORKFLOWS = {
  github: {
    file: '.github/workflows/sandlot.yml',
    text: `name: sandlot

on:
  push:
  pull_request:

permissions:
  contents: read

jobs:
  test:
    runs-on: ubuntu-latest
    timeout-minutes: 15
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 24
          cache: npm
      - run: npm ci
      # exec sets SANDLOT_URL, SANDLOT_KEY_ID and SANDLOT_SECRET for the command.
      - run: npx sandlot exec --seed ci -- npm test

  # The same with a sandbox that several steps use.
  steps:
    runs-on: ubuntu-latest
    timeout-minutes: 15
    env:
      SANDLOT_URL: http://127.0.0.1:4010
      SANDLOT_KEY_ID: dmk_sandbox_local
      SANDLOT_SECRET: dms_sandbox_local_not_a_secret
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 24
          cache: npm
      - run: npm ci
      - run: npx sandlot start --detach --ephemeral --seed ci
      - run: npm test
      - name: Show what went wrong
        if: failure()
        run: npx sandlot logs && npx sandlot doctor
      - if: always()
        run: npx sandlot stop
`,
  },
  gitlab: {
    file: '.gitlab-ci.yml',
    text: `stages:
  - test

default:
  image: node:24
  cache:
    key:
      files:
        - package-lock.json
    paths:
      - .npm/
  before_script:
    - npm ci --cache .npm --prefer-offline

# exec sets SANDLOT_URL, SANDLOT_KEY_ID and SANDLOT_SECRET for the command.
test:
  stage: test
  script:
    - npx sandlot exec --seed ci -- npm test

# The same with a sandbox that several commands use.
steps:
  stage: test
  variables:
    SANDLOT_URL: http://127.0.0.1:4010
    SANDLOT_KEY_ID: dmk_sandbox_local
    SANDLOT_SECRET: dms_sandbox_local_not_a_secret
  script:
    - npx sandlot start --detach --ephemeral --seed ci
    - npm test
  after_script:
    - npx sandlot logs
    - npx sandlot stop
`,
  },
} as const;

export const CI_SERVICES = Object.keys(WORKFLOWS) as (keyof typeof WORKFLOWS)[];
