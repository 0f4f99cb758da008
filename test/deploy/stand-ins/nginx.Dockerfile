# nginx from Debian, for machines that can reach Debian but no image registry. Not the official image.
# The directive http2 needs 1.25.1; bookworm has 1.22.
FROM node:24-bookworm-slim
RUN sed -i 's/bookworm/trixie/g' $(grep -rl bookworm /etc/apt) && apt-get update -qq && \
    apt-get install -y -qq --no-install-recommends nginx-light && rm -rf /var/lib/apt/lists/*
CMD ["nginx", "-g", "daemon off;"]
