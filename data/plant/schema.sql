-- The alarm database of a refinery's crude distillation unit. Times are ISO text, YYYY-MM-DD HH:MM:SS.
-- 标签信息 tags: one row for each measuring point
CREATE TABLE t_rt_info (
    tag_code VARCHAR(16) NOT NULL PRIMARY KEY, -- 位号 code of the tag, such as TI-101
    tag_desc VARCHAR(120) NOT NULL, -- 描述 what the tag measures, in Chinese and English
    tag_kind VARCHAR(16) NOT NULL, -- 类型 temperature, pressure, flow, level, analysis, vibration or speed
    measure_unit VARCHAR(16) NOT NULL, -- 计量单位 unit of measure
    process_unit VARCHAR(32) NOT NULL, -- 装置单元 process unit the tag belongs to
    low_limit DECIMAL(10, 2) NOT NULL, -- 报警下限 lower alarm limit
    high_limit DECIMAL(10, 2) NOT NULL, -- 报警上限 upper alarm limit
    priority VARCHAR(16) NOT NULL -- 报警优先级 alarm priority: critical, high, medium or low
);

-- 实时数据 measured values, one every hour
CREATE TABLE t_rt_data (
    data_tag VARCHAR(16) NOT NULL, -- 位号 tag that was measured
    read_time TIMESTAMP NOT NULL, -- 采集时间 time of the reading
    read_value DECIMAL(10, 2), -- 测量值 measured value, null where the reading is missing
    quality VARCHAR(16) NOT NULL, -- 数据质量 good, uncertain or bad
    PRIMARY KEY (data_tag, read_time),
    FOREIGN KEY (data_tag) REFERENCES t_rt_info (tag_code)
);

-- 模型信息 inference models, each watches one tag for alarms
CREATE TABLE t_model_data (
    model_name VARCHAR(32) NOT NULL PRIMARY KEY, -- 模型名称 name of the model
    algorithm VARCHAR(32) NOT NULL, -- 算法 algorithm of the model
    target_tag VARCHAR(16) NOT NULL, -- 目标位号 tag whose alarm the model foresees
    accuracy DECIMAL(6, 4) NOT NULL, -- 准确率 accuracy on its test set, 0 to 1
    trained_at TIMESTAMP NOT NULL, -- 训练时间 time of the last training
    model_status VARCHAR(16) NOT NULL, -- 状态 running, stopped or testing
    FOREIGN KEY (target_tag) REFERENCES t_rt_info (tag_code)
);

-- 推理结果 results of the models
CREATE TABLE t_inference_data (
    infer_model VARCHAR(32) NOT NULL, -- 模型名称 model that made the prediction
    infer_time TIMESTAMP NOT NULL, -- 推理时间 time that the prediction is for
    predicted_value DECIMAL(10, 2) NOT NULL, -- 预测值 predicted value of the target tag
    confidence DECIMAL(6, 4) NOT NULL, -- 置信度 confidence of the prediction, 0 to 1
    predicted_alarm INTEGER NOT NULL, -- 预测报警 1 if the model foretold an alarm, else 0
    actual_alarm INTEGER NOT NULL, -- 实际报警 1 if an alarm came, else 0
    PRIMARY KEY (infer_model, infer_time),
    FOREIGN KEY (infer_model) REFERENCES t_model_data (model_name)
);
